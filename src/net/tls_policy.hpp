#pragma once
// The TLS policy of both sides: TLS 1.2 and later, with forward secrecy and authenticated encryption only.

#include <openssl/ssl.h>

namespace pawl::net {

// TLS 1.3 has no other ciphers. TLS 1.2 also has static RSA, whose session keys a stolen certificate key
// reveals later, and the padding of CBC.
inline constexpr const char* kCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

// False: the library has none of the ciphers.
[[nodiscard]] inline bool apply_tls_policy(SSL_CTX* context) {
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, kCiphers) == 1;
}

}  // namespace pawl::net
