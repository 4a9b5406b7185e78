#pragma once
// Certificates for tests, generated on demand: an authority, and certificates that it issues, as PEM files in
// a folder.

#include <memory>
#include <string>

#include <openssl/evp.h>
#include <openssl/x509.h>

namespace pawl::testing {

struct CertificateFiles {
  std::string cert;
  std::string key;
};

class Authority {
 public:
  Authority(std::string folder, std::string name);

  [[nodiscard]] std::string file() const { return folder_ + "/" + name_ + ".pem"; }
  // For 127.0.0.1 and localhost, or another host; also valid for clients. The files are NAME.pem and
  // NAME.key.
  [[nodiscard]] CertificateFiles issue(const std::string& name,
                                       const std::string& hosts = kThisMachine) const;
  // The same with an RSA key, which takes longer to generate.
  [[nodiscard]] CertificateFiles issue_rsa(const std::string& name) const;

 private:
  static constexpr const char* kThisMachine = "IP:127.0.0.1,DNS:localhost";

  [[nodiscard]] CertificateFiles issue_for(const std::shared_ptr<EVP_PKEY>& key, const std::string& name,
                                           const std::string& hosts) const;

  std::string folder_;
  std::string name_;
  std::shared_ptr<EVP_PKEY> key_;  // shared_ptr only for its deleter; this is the only owner
  std::shared_ptr<X509> certificate_;
};

}  // namespace pawl::testing
