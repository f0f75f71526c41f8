#pragma once
/// Owners of CUDA things: move-only, no default stream, destructors that never throw.
///
/// Declare streams before the buffers and graphs that use them, so that they are destroyed after.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "kernels/device/cuda_check.hpp"

namespace tessera
{

/// Who the scheduler serves first when two streams have blocks ready.
enum class StreamPriority : std::uint8_t
{
    normal,
    high
};

/// A non-blocking stream.
class Stream
{
public:
    explicit Stream(StreamPriority priority = StreamPriority::normal)
    {
        int least = 0;
        int greatest = 0;
        cuda_check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "read stream priorities");
        cuda_check(
            cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking,
                                         priority == StreamPriority::high ? greatest : least),
            "create stream");
    }
    Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr))
    {
    }
    Stream& operator=(Stream&& other) noexcept
    {
        std::swap(stream_, other.stream_);
        return *this;
    }
    ~Stream()
    {
        if (stream_ != nullptr)
        {
            cudaStreamDestroy(stream_);
        }
    }

    cudaStream_t get() const
    {
        return stream_;
    }
    /// Blocks the host until all work queued so far is complete.
    void synchronize() const
    {
        cuda_check(cudaStreamSynchronize(stream_), "synchronize stream");
    }

private:
    cudaStream_t stream_ = nullptr;
};

/// Whether an event can measure time; those that cannot are cheaper to wait for.
enum class EventTiming : std::uint8_t
{
    disabled,
    enabled
};

/// A point in a stream's work. Named after the edge of the graph it carries: `reordered`.
class Event
{
public:
    explicit Event(EventTiming timing = EventTiming::disabled)
    {
        cuda_check(cudaEventCreateWithFlags(&event_, timing == EventTiming::enabled
                                                         ? cudaEventDefault
                                                         : cudaEventDisableTiming),
                   "create event");
    }
    Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr))
    {
    }
    Event& operator=(Event&& other) noexcept
    {
        std::swap(event_, other.event_);
        return *this;
    }
    ~Event()
    {
        if (event_ != nullptr)
        {
            cudaEventDestroy(event_);
        }
    }

    cudaEvent_t get() const
    {
        return event_;
    }
    void record(cudaStream_t stream) const
    {
        cuda_check(cudaEventRecord(event_, stream), "record event");
    }
    /// What is queued on `stream` from now on runs after this event; the host does not wait.
    void make_wait(cudaStream_t stream) const
    {
        cuda_check(cudaStreamWaitEvent(stream, event_, 0), "make a stream wait for an event");
    }
    void synchronize() const
    {
        cuda_check(cudaEventSynchronize(event_), "synchronize event");
    }

private:
    cudaEvent_t event_ = nullptr;
};

/// Seconds between two complete, timing-enabled events.
inline double seconds_between(Event const& start, Event const& stop)
{
    float milliseconds = 0.0F;
    cuda_check(cudaEventElapsedTime(&milliseconds, start.get(), stop.get()), "read event time");
    return 1e-3 * static_cast<double>(milliseconds);
}

/// Uninitialised device memory, allocated and freed in the order of `stream`'s work. Other streams
/// must be ordered after that stream by events before the first and after the last use.
template <class T>
class DeviceBuffer
{
    static_assert(std::is_trivially_copyable_v<T>);

public:
    DeviceBuffer() = default;
    DeviceBuffer(std::size_t size, cudaStream_t stream) : size_(size), stream_(stream)
    {
        if (size > 0)
        {
            void* memory = nullptr;
            cuda_check(cudaMallocAsync(&memory, size * sizeof(T), stream),
                       "allocate device memory");
            data_ = static_cast<T*>(memory);
        }
    }
    DeviceBuffer(std::span<T const> host, cudaStream_t stream) : DeviceBuffer(host.size(), stream)
    {
        upload(host, stream);
    }
    DeviceBuffer(DeviceBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          stream_(other.stream_)
    {
    }
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(stream_, other.stream_);
        return *this;
    }
    ~DeviceBuffer()
    {
        if (data_ != nullptr)
        {
            cudaFreeAsync(data_, stream_);
        }
    }

    T* data() const
    {
        return data_;
    }
    std::size_t size() const
    {
        return size_;
    }
    std::size_t bytes() const
    {
        return size_ * sizeof(T);
    }
    /// Copies to the front of the buffer, complete when `stream` gets there; `host` must live until
    /// then.
    void upload(std::span<T const> host, cudaStream_t stream) const
    {
        if (!host.empty())
        {
            cuda_check(cudaMemcpyAsync(data_, host.data(), host.size_bytes(),
                                       cudaMemcpyHostToDevice, stream),
                       "copy to the device");
        }
    }
    /// Copies from the front of the buffer, complete when `stream` gets there.
    void download(std::span<T> host, cudaStream_t stream) const
    {
        if (!host.empty())
        {
            cuda_check(cudaMemcpyAsync(host.data(), data_, host.size_bytes(),
                                       cudaMemcpyDeviceToHost, stream),
                       "copy to the host");
        }
    }
    /// Sets every byte to `byte`, complete when `stream` gets there.
    void fill_bytes(int byte, cudaStream_t stream) const
    {
        if (size_ > 0)
        {
            cuda_check(cudaMemsetAsync(data_, byte, bytes(), stream), "fill device memory");
        }
    }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
    cudaStream_t stream_ = nullptr;
};

/// Page-locked host memory: copies to and from it run beside the host and at full speed.
template <class T>
class PinnedBuffer
{
    static_assert(std::is_trivially_copyable_v<T>);

public:
    PinnedBuffer() = default;
    explicit PinnedBuffer(std::size_t size) : size_(size)
    {
        if (size > 0)
        {
            void* memory = nullptr;
            cuda_check(cudaMallocHost(&memory, size * sizeof(T)), "allocate page-locked memory");
            data_ = static_cast<T*>(memory);
        }
    }
    PinnedBuffer(PinnedBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0))
    {
    }
    PinnedBuffer& operator=(PinnedBuffer&& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~PinnedBuffer()
    {
        if (data_ != nullptr)
        {
            cudaFreeHost(data_);
        }
    }

    T* data() const
    {
        return data_;
    }
    std::size_t size() const
    {
        return size_;
    }
    std::span<T> span() const
    {
        return {data_, size_};
    }
    T& operator[](std::size_t index) const
    {
        return data_[index];
    }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

/// A captured piece of work, launched as one.
class Graph
{
public:
    Graph() = default;
    /// Captures what `work(stream)` queues on `stream`, and on streams that wait for its events and
    /// that it waits for again before `work` returns. Nothing runs yet. If `work` throws, the
    /// capture is ended and the exception goes on.
    template <class Work>
    Graph(cudaStream_t stream, Work&& work)
    {
        cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                   "begin graph capture");
        cudaGraph_t graph = nullptr;
        try
        {
            work(stream);
        }
        catch (...)
        {
            if (cudaStreamEndCapture(stream, &graph) == cudaSuccess)
            {
                cudaGraphDestroy(graph);
            }
            throw;
        }
        cuda_check(cudaStreamEndCapture(stream, &graph), "end graph capture");
        cudaError_t const code = cudaGraphInstantiate(&executable_, graph, 0);
        cudaGraphDestroy(graph);
        cuda_check(code, "instantiate graph");
    }
    Graph(Graph&& other) noexcept : executable_(std::exchange(other.executable_, nullptr))
    {
    }
    Graph& operator=(Graph&& other) noexcept
    {
        std::swap(executable_, other.executable_);
        return *this;
    }
    ~Graph()
    {
        if (executable_ != nullptr)
        {
            cudaGraphExecDestroy(executable_);
        }
    }

    explicit operator bool() const
    {
        return executable_ != nullptr;
    }
    void launch(cudaStream_t stream) const
    {
        cuda_check(cudaGraphLaunch(executable_, stream), "launch graph");
    }

private:
    cudaGraphExec_t executable_ = nullptr;
};

}  // namespace tessera
