#include <cmath>
#include <limits>

#include "kernels/arithmetic/box.hpp"
#include "tests/support/support.hpp"

using namespace tessera;

TEST_CASE("wrap folds into [0, edge) and position + image * edge is unchanged")
{
    double const edge = 7.3;
    double const start = GENERATE(0.0, -0.0, 7.3, -7.3, 3.2, -1e-300, -1e-17, 1e6, -1e6 + 0.1,
                                  std::nextafter(7.3, 0.0), 14.6, 21.900000001);
    double position = start;
    std::int32_t image = 5;
    wrap(position, image, edge);
    CHECK(position >= 0.0);
    CHECK(position < edge);
    double const unwrapped = position + (image - 5) * edge;
    CHECK(std::abs(unwrapped - start) <=
          4.0 * std::numeric_limits<double>::epsilon() * (std::abs(start) + edge));
}

TEST_CASE("wrap leaves open axes alone")
{
    Box const box{{4.0, 4.0, 4.0}, {Boundary::periodic, Boundary::open, Boundary::periodic}};
    Vec3<double> position{-1.0, -1.0, 9.0};
    Vec3<std::int32_t> image{};
    wrap(position, image, box);
    CHECK(position == Vec3<double>{3.0, -1.0, 1.0});
    CHECK(image == Vec3<std::int32_t>{-1, 0, 2});
}

TEST_CASE("minimum_image gives the nearest copy")
{
    Box const box{{10.0, 10.0, 10.0}, {Boundary::periodic, Boundary::periodic, Boundary::open}};
    CHECK(minimum_image(Vec3<double>{9.0, -6.0, 9.0}, box) == Vec3<double>{-1.0, 4.0, 9.0});
}
