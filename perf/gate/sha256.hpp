#pragma once

#include <string>
#include <string_view>

namespace selectors::gate {

/// SHA-256 (FIPS 180-4) as 64 lower-case hex digits. It ties a limit to the evidence it was taken from and a
/// measurement to the binary that made it; nothing here is a secret.
std::string sha256_hex(std::string_view bytes);

}  // namespace selectors::gate
