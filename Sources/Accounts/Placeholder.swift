import Crypto
import CArgon2
