// The hash by which PostgreSQL places a uuid (`uuid_hash`), so that the place of a merchant's rows
// is known without asking for it. Bob Jenkins' lookup3 over sixteen bytes, as `hash_bytes` has it.

const golden = 0x9e3779b9
const bytes = 16
/** What PostgreSQL adds to the length of the key. */
const seed = 3_923_095

const rotate = (x: number, by: number): number => (x << by) | (x >>> (32 - by))

/** A whole number from -2^31 up to 2^31 - 1, equal to `uuid_hash(uuid)` of the database. */
export function uuidHash(uuid: string): number {
  const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = wordsOf(uuid)
  const start = (golden + bytes + seed) | 0
  const [a, b, c] = mix((start + k0) | 0, (start + k1) | 0, (start + k2) | 0)
  return final((a + k3) | 0, b, c)
}

/** The bytes four by four, the lowest first. */
function wordsOf(uuid: string): number[] {
  const hex = uuid.replaceAll('-', '')
  const word = (at: number) => Number.parseInt(hex.slice(at, at + 8), 16)
  return [0, 8, 16, 24].map((at) => swapped(word(at)))
}

const swapped = (x: number): number =>
  ((x & 0xff) << 24) | ((x & 0xff00) << 8) | ((x >>> 8) & 0xff00) | (x >>> 24)

function mix(a0: number, b0: number, c0: number): [number, number, number] {
  let [a, b, c] = [a0, b0, c0]
  for (const [first, second, third] of [
    [4, 6, 8],
    [16, 19, 4],
  ] as const) {
    a = ((a - c) ^ rotate(c, first)) | 0
    c = (c + b) | 0
    b = ((b - a) ^ rotate(a, second)) | 0
    a = (a + c) | 0
    c = ((c - b) ^ rotate(b, third)) | 0
    b = (b + a) | 0
  }
  return [a, b, c]
}

function final(a0: number, b0: number, c0: number): number {
  let [a, b, c] = [a0, b0, c0]
  c = ((c ^ b) - rotate(b, 14)) | 0
  a = ((a ^ c) - rotate(c, 11)) | 0
  b = ((b ^ a) - rotate(a, 25)) | 0
  c = ((c ^ b) - rotate(b, 16)) | 0
  a = ((a ^ c) - rotate(c, 4)) | 0
  b = ((b ^ a) - rotate(a, 14)) | 0
  return ((c ^ b) - rotate(b, 24)) | 0
}
