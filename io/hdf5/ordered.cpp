#include "io/hdf5/ordered.hpp"

#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <tuple>

#include "io/hdf5/pieces.hpp"

namespace tessera::hdf5
{

namespace
{

constexpr haddr_t page = 4096;
constexpr haddr_t largest_address = (haddr_t{1} << 62) - 1;

struct DriverInfo
{
    Change change = Change::grows;
    haddr_t least_end = 0;
};

/// The library's base comes first: it casts.
struct OrderedFile
{
    H5FD_t base{};
    int descriptor = -1;
    dev_t device = 0;
    ino_t inode = 0;
    Change change = Change::grows;
    haddr_t end = 0;                       // of what the library has allocated
    haddr_t written_end = 0;               // space taken ahead by reserve() does not count
    std::optional<haddr_t> committed_end;  // beyond it nothing on disk is referred to
    mutable bool read_beyond_end = false;
    Pieces waiting;
};

OrderedFile& cast(H5FD_t* file)
{
    return *reinterpret_cast<OrderedFile*>(file);
}
OrderedFile const& cast(H5FD_t const* file)
{
    return *reinterpret_cast<OrderedFile const*>(file);
}

/// Leaves `problem` and errno on the library's error stack, for fail().
herr_t refuse(char const* problem)
{
    std::string const reason = std::generic_category().message(errno);
    H5Epush2(H5E_DEFAULT, __FILE__, "ordered", __LINE__, H5E_ERR_CLS, H5E_VFL, H5E_WRITEERROR,
             "%s: %s", problem, reason.c_str());
    return -1;
}

bool write_all(int descriptor, haddr_t address, unsigned char const* bytes, std::size_t size)
{
    while (size > 0)
    {
        ssize_t const done = ::pwrite(descriptor, bytes, size, static_cast<off_t>(address));
        if (done < 0 && errno != EINTR)
        {
            return false;
        }
        auto const count = static_cast<std::size_t>(std::max<ssize_t>(done, 0));
        bytes += count;
        address += count;
        size -= count;
    }
    return true;
}

/// Later pages first: in index nodes of other writers the count of entries is before the entries.
bool write_piece(int descriptor, haddr_t address, std::vector<unsigned char> const& bytes)
{
    haddr_t last = address + bytes.size();
    while (last > address)
    {
        haddr_t const first = std::max(address, (last - 1) / page * page);
        if (!write_all(descriptor, first, bytes.data() + (first - address), last - first))
        {
            return false;
        }
        last = first;
    }
    return true;
}

/// Smaller is earlier; see io/hdf5/ordered.hpp.
std::tuple<int, int> rank(OrderedFile const& file, haddr_t address, Pieces::Piece const& piece)
{
    bool const grows = file.change == Change::grows;
    if (grows && address >= *file.committed_end)
    {
        return {0, 0};
    }
    if (piece.type == H5FD_MEM_SUPER)
    {
        return {grows ? 1 : 5, 0};
    }
    // an index node: "TREE", kind, level; the leaves have level 0
    constexpr std::size_t level_place = 5;
    if (piece.bytes.size() > level_place && std::memcmp(piece.bytes.data(), "TREE", 4) == 0)
    {
        return {2, -static_cast<int>(piece.bytes[level_place])};
    }
    if (piece.type == H5FD_MEM_OHDR)
    {
        return {grows ? 4 : 1, 0};
    }
    return {3, 0};
}

bool cut_to(OrderedFile const& file, haddr_t end)
{
    return ::ftruncate(file.descriptor, static_cast<off_t>(end)) == 0;
}

herr_t write_waiting(OrderedFile& file)
{
    struct stat status
    {
    };
    if (::fstat(file.descriptor, &status) != 0)
    {
        return refuse("cannot size the file");
    }
    file.committed_end = file.committed_end.value_or(file.end);
    // the superblock must not tell of an end that is not there
    if (static_cast<haddr_t>(status.st_size) < file.end && !cut_to(file, file.end))
    {
        return refuse("cannot lengthen the file");
    }
    std::vector<std::pair<std::tuple<int, int>, haddr_t>> order;
    auto const& pieces = file.waiting.by_address();
    order.reserve(pieces.size());
    for (auto const& [address, piece] : pieces)
    {
        order.emplace_back(rank(file, address, piece), address);
    }
    std::sort(order.begin(), order.end());
    for (auto const& [when, address] : order)
    {
        if (!write_piece(file.descriptor, address, pieces.at(address).bytes))
        {
            return refuse("cannot write to the file");
        }
    }
    file.waiting.clear();
    file.committed_end = file.end;
    return 0;
}

H5FD_t* open(char const* name, unsigned flags, hid_t access, haddr_t /*largest*/)
{
    int const mode = ((flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY) |
                     ((flags & H5F_ACC_TRUNC) != 0 ? O_TRUNC : 0) |
                     ((flags & H5F_ACC_CREAT) != 0 ? O_CREAT : 0) |
                     ((flags & H5F_ACC_EXCL) != 0 ? O_EXCL : 0);
    auto file = std::make_unique<OrderedFile>();
    file->descriptor = ::open(name, mode | O_CLOEXEC, 0666);
    struct stat status
    {
    };
    if (file->descriptor < 0 || ::fstat(file->descriptor, &status) != 0)
    {
        refuse("unable to open file");
        return nullptr;
    }
    file->device = status.st_dev;
    file->inode = status.st_ino;
    auto const& info = *static_cast<DriverInfo const*>(H5Pget_driver_info(access));
    file->written_end = std::max(static_cast<haddr_t>(status.st_size), info.least_end);
    file->change = info.change;
    return &file.release()->base;
}

herr_t close(H5FD_t* base)
{
    std::unique_ptr<OrderedFile> const file(&cast(base));
    bool const waits = !file->waiting.by_address().empty();
    herr_t result = waits ? write_waiting(*file) : 0;
    struct stat status
    {
    };
    if (result == 0 && file->committed_end && ::fstat(file->descriptor, &status) == 0 &&
        static_cast<haddr_t>(status.st_size) > file->end && !cut_to(*file, file->end))
    {
        result = refuse("cannot cut the file");
    }
    if (::close(file->descriptor) != 0)
    {
        result = refuse("cannot close the file");
    }
    return result;
}

int compare(H5FD_t const* first, H5FD_t const* second)
{
    auto const key = [](OrderedFile const& file) {
        return std::tuple(file.device, file.inode);
    };
    auto const a = key(cast(first)), b = key(cast(second));
    return a < b ? -1 : (a == b ? 0 : 1);
}

/// No aggregation of metadata: each piece gets its own place from allocate(), and its own write.
herr_t query(H5FD_t const* /*file*/, unsigned long* flags)
{
    *flags = H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

haddr_t allocate(H5FD_t* base, H5FD_mem_t type, hid_t /*transfer*/, hsize_t size)
{
    OrderedFile& file = cast(base);
    file.committed_end = file.committed_end.value_or(file.end);
    bool const crosses = size > 0 && file.end / page != (file.end + size - 1) / page;
    if (type != H5FD_MEM_DRAW && size <= page && crosses)
    {
        file.end = (file.end / page + 1) * page;
    }
    haddr_t const address = file.end;
    file.end += size;
    return address;
}

herr_t read(H5FD_t* base, H5FD_mem_t type, hid_t /*transfer*/, haddr_t address, std::size_t size,
            void* buffer)
{
    OrderedFile const& file = cast(base);
    auto* const bytes = static_cast<unsigned char*>(buffer);
    std::size_t done = 0;
    while (done < size)
    {
        ssize_t const count =
            ::pread(file.descriptor, bytes + done, size - done, static_cast<off_t>(address + done));
        if (count < 0 && errno != EINTR)
        {
            return refuse("cannot read the file");
        }
        if (count == 0)  // beyond the end
        {
            std::memset(bytes + done, 0, size - done);
            file.read_beyond_end = file.read_beyond_end || type == H5FD_MEM_DRAW;
            break;
        }
        done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    }
    file.waiting.lay_over(address, bytes, size);
    return 0;
}

herr_t write(H5FD_t* base, H5FD_mem_t type, hid_t /*transfer*/, haddr_t address, std::size_t size,
             void const* buffer)
{
    OrderedFile& file = cast(base);
    auto const* const bytes = static_cast<unsigned char const*>(buffer);
    file.written_end = std::max(file.written_end, address + size);
    try
    {
        if (type != H5FD_MEM_DRAW || file.change == Change::shrinks)
        {
            file.waiting.put(address, type, bytes, size);
            return 0;
        }
        file.waiting.drop(address, address + size);
    }
    catch (std::bad_alloc const&)
    {
        errno = ENOMEM;
        return refuse("cannot keep data to write");
    }
    return write_all(file.descriptor, address, bytes, size) ? 0
                                                            : refuse("cannot write to the file");
}

herr_t lock(H5FD_t* base, hbool_t exclusive)
{
    int const mode = (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB;
    // some file systems know no locks
    bool const locked = ::flock(cast(base).descriptor, mode) == 0 || errno == ENOSYS;
    return locked ? 0 : refuse("unable to lock file");
}

herr_t unlock(H5FD_t* base)
{
    bool const done = ::flock(cast(base).descriptor, LOCK_UN) == 0 || errno == ENOSYS;
    return done ? 0 : refuse("unable to unlock file");
}

H5FD_class_t make_class()
{
    H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(511);  // the last of those kept for private use
#endif
    driver.name = "ordered";
    driver.maxaddr = largest_address;
    driver.fc_degree = H5F_CLOSE_WEAK;
    driver.fapl_size = sizeof(DriverInfo);
    driver.open = open;
    driver.close = close;
    driver.cmp = compare;
    driver.query = query;
    driver.alloc = allocate;
    driver.get_eoa = [](H5FD_t const* file, H5FD_mem_t) {
        return cast(file).end;
    };
    driver.set_eoa = [](H5FD_t* file, H5FD_mem_t, haddr_t end) -> herr_t {
        cast(file).end = end;
        return 0;
    };
    driver.get_eof = [](H5FD_t const* file, H5FD_mem_t) {
        return cast(file).written_end;
    };
    driver.get_handle = [](H5FD_t* file, hid_t, void** handle) -> herr_t {
        *handle = &cast(file);
        return 0;
    };
    driver.read = read;
    driver.write = write;
    driver.lock = lock;
    driver.unlock = unlock;
    constexpr H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), driver.fl_map);
    return driver;
}

OrderedFile& ordered(Handle const& file)
{
    void* handle = nullptr;
    check(H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &handle), "find the file's driver");
    return *static_cast<OrderedFile*>(handle);
}

}  // namespace

void use_ordered_driver(Handle const& access, Change change, std::uint64_t least_end)
{
    static H5FD_class_t const driver = make_class();
    static hid_t const id = H5FDregister(&driver);
    check(id, "register the file driver");
    DriverInfo const info{change, least_end};
    check(H5Pset_driver(access.get(), id, &info), "set the file driver");
}

void commit(Handle const& file)
{
    check(H5Fflush(file.get(), H5F_SCOPE_LOCAL), "flush the file");
    check(write_waiting(ordered(file)), "flush the file");
}

bool was_read_beyond_end(Handle const& file)
{
    return ordered(file).read_beyond_end;
}

int descriptor_of(Handle const& file)
{
    return ordered(file).descriptor;
}

}  // namespace tessera::hdf5
