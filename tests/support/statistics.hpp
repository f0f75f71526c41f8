#pragma once
/// Means and trends of correlated series, with standard errors from block averages.
/// (Flyvbjerg and Petersen, J. Chem. Phys. 91, 461 (1989))

#include <cmath>
#include <cstddef>
#include <vector>

namespace tessera::test
{

/// A value with its standard error.
struct Estimate
{
    double value = 0.0, error = 0.0;
};

/// Means of `blocks` equal, successive parts; a remainder at the end is left out.
inline std::vector<double> block_means(std::vector<double> const& series, std::size_t blocks)
{
    std::size_t const length = series.size() / blocks;
    std::vector<double> means(blocks, 0.0);
    for (std::size_t n = 0; n < blocks * length; ++n)
    {
        means[n / length] += series[n] / static_cast<double>(length);
    }
    return means;
}

/// The mean of independent values.
inline Estimate mean_of(std::vector<double> const& values)
{
    auto const count = static_cast<double>(values.size());
    double sum = 0.0;
    for (double const value : values)
    {
        sum += value;
    }
    double const mean = sum / count;
    double square = 0.0;
    for (double const value : values)
    {
        square += (value - mean) * (value - mean);
    }
    return {mean, std::sqrt(square / (count - 1.0) / count)};
}

/// The mean of a series whose correlation is short against a block.
inline Estimate block_average(std::vector<double> const& series, std::size_t blocks)
{
    return mean_of(block_means(series, blocks));
}

/// Least-squares slope of a series per sample, its error from the scatter of block means about the
/// line.
inline Estimate block_slope(std::vector<double> const& series, std::size_t blocks)
{
    std::vector<double> const means = block_means(series, blocks);
    auto const count = static_cast<double>(blocks);
    auto const length = static_cast<double>(series.size() / blocks);
    double const middle = 0.5 * (count - 1.0);
    double const mean = mean_of(means).value;
    double xx = 0.0;
    double xy = 0.0;
    for (std::size_t block = 0; block < blocks; ++block)
    {
        double const x = static_cast<double>(block) - middle;
        xx += x * x;
        xy += x * (means[block] - mean);
    }
    double const slope = xy / xx;
    double residual = 0.0;
    for (std::size_t block = 0; block < blocks; ++block)
    {
        double const x = static_cast<double>(block) - middle;
        residual += std::pow(means[block] - mean - slope * x, 2.0);
    }
    return {slope / length, std::sqrt(residual / (count - 2.0) / xx) / length};
}

}  // namespace tessera::test
