# An own CA and certificates of every fate, in the folder given: each NAME.pem holds key and certificate.
set -eu
cd "$1"
key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }
authority() {
  key "$1"
  openssl req -x509 -new -key "$1.key" -subj "/CN=$2" -days 3650 -out "$1.crt" -addext "keyUsage=critical,keyCertSign,cRLSign"
}
# sign NAME CA SUBJECT-ALT-NAMES FROM TO
sign() {
  key "$1"
  openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
  mkdir -p "db-$1"
  : > "db-$1/index"
  echo 01 > "db-$1/serial"
  printf '[ca]\ndefault_ca=d\n[d]\ndatabase=db-%s/index\nserial=db-%s/serial\nnew_certs_dir=db-%s\ndefault_md=sha256\npolicy=p\nx509_extensions=e\n[p]\ncommonName=supplied\n[e]\nsubjectAltName=%s\n' \
    "$1" "$1" "$1" "$3" > "$1.cnf"
  openssl ca -batch -config "$1.cnf" -cert "$2.crt" -keyfile "$2.key" -in "$1.csr" -out "$1.crt" -startdate "$4" -enddate "$5" -notext
  cat "$1.key" "$1.crt" > "$1.pem"
}
authority ca "Spec CA"
authority stranger "Nobody's CA"
sign good ca "DNS:localhost,IP:127.0.0.1" 20200101000000Z 20991231000000Z
sign wrong ca "DNS:elsewhere.example" 20200101000000Z 20991231000000Z
sign expired ca "DNS:localhost,IP:127.0.0.1" 20200101000000Z 20210101000000Z
sign foreign stranger "DNS:localhost,IP:127.0.0.1" 20200101000000Z 20991231000000Z
