// How a server checks that a delivery is ours, in three languages: word for word the code of
// docs/guides/webhooks.md (a test holds them against each other).

export const verifyCode: readonly Readonly<{ language: string; text: string }>[] = [
  {
    language: 'Node',
    text: `import { createHmac, timingSafeEqual } from 'node:crypto'

export function isOurs(headers, body, secret) {
  const timestamp = headers['x-webhook-timestamp'] ?? ''
  if (!/^\\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false
  const expected = createHmac('sha256', secret).update(\`\${timestamp}.\`).update(body).digest()
  // While a secret is replaced, the second is by the new one.
  const given = [headers['x-webhook-signature'], headers['x-webhook-signature-next']]
  return given.some(
    (hex) => /^[0-9a-f]{64}$/.test(hex ?? '') && timingSafeEqual(expected, Buffer.from(hex, 'hex')),
  )
}`,
  },
  {
    language: 'PHP',
    text: `// $body = file_get_contents('php://input'): the raw bytes, before any \
framework parses them.
function is_ours(string $body, string $secret): bool {
    $timestamp = $_SERVER['HTTP_X_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) return false;
    $expected = hash_hmac('sha256', "$timestamp.$body", $secret);
    return hash_equals($expected, $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? '')
        || hash_equals($expected, $_SERVER['HTTP_X_WEBHOOK_SIGNATURE_NEXT'] ?? '');
}`,
  },
  {
    language: 'Python',
    text: `import hashlib, hmac, time

def is_ours(headers, body: bytes, secret: str) -> bool:
    timestamp = headers.get("X-Webhook-Timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > 300:
        return False
    expected = hmac.new(secret.encode(), timestamp.encode() + b"." + body, \
hashlib.sha256).hexdigest()
    given = (headers.get(name, "") for name in ("X-Webhook-Signature", "X-Webhook-Signature-Next"))
    return any(hmac.compare_digest(expected.encode(), one.encode()) for one in given)`,
  },
]
