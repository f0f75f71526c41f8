#pragma once

#include "kernels/arithmetic/host_device.hpp"

namespace tessera
{

/// A triple (x, y, z) of one arithmetic type.
template <class T>
struct Vec3
{
    T x{}, y{}, z{};

    TESSERA_HD T& operator[](int axis)
    {
        return axis == 0 ? x : (axis == 1 ? y : z);
    }
    TESSERA_HD T const& operator[](int axis) const
    {
        return axis == 0 ? x : (axis == 1 ? y : z);
    }
    TESSERA_HD Vec3& operator+=(Vec3 other)
    {
        x += other.x;
        y += other.y;
        z += other.z;
        return *this;
    }
    friend bool operator==(Vec3 const&, Vec3 const&) = default;
};

template <class T>
TESSERA_HD Vec3<T> operator+(Vec3<T> a, Vec3<T> b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class T>
TESSERA_HD Vec3<T> operator-(Vec3<T> a, Vec3<T> b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <class T>
TESSERA_HD Vec3<T> operator*(T s, Vec3<T> a)
{
    return {s * a.x, s * a.y, s * a.z};
}

template <class T>
TESSERA_HD T dot(Vec3<T> a, Vec3<T> b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

}  // namespace tessera
