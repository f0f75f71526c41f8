#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TESSERA_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TESSERA_SANITIZED 1
#endif

namespace tessera::test
{

/// Whether the test is built with the address sanitizer, which takes terabytes of address space and
/// cannot do with a limit on it.
#ifdef TESSERA_SANITIZED
inline constexpr bool has_address_sanitizer = true;
#else
inline constexpr bool has_address_sanitizer = false;
#endif

}  // namespace tessera::test
