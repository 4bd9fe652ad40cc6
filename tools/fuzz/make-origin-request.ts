// Requests to the routes beside the API (callbacks, health, documentation) and to addresses that do
// not exist.

import { writeJson } from './json-text.ts'
import { hostileValue, mutateText, mutateValue } from './mutate-body.ts'
import type { Random } from './random.ts'
import type { FuzzRequest } from './request.ts'

export type Made = Omit<FuzzRequest, 'index'>

const host = ['Host', '~host~'] as const

const places = [
  ...['/healthz', '/readyz', '/metrics', '/docs', '/docs/', '/docs/json', '/docs/yaml', '/docs/x'],
  ...['/docs/static/index.html', '/docs/static/swagger-ui.css', '/docs/static/../../package.json'],
  ...[
    '/docs/static/%2e%2e/%2e%2e/package.json',
    '/docs/static/..%2f..%2fpackage.json',
    '/docs/%00',
  ],
  ...[
    '/docs/static/%5c..%5c',
    '/docs/static//etc/passwd',
    '/docs/static/',
    '/docs/logo.svg',
    '/docs/static/%00',
    '/docs/static/nothing.css',
  ],
  ...[
    '/receipts/x',
    '/receipts/..',
    '/checkout/x',
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v2/x',
  ],
  ...['/favicon.ico', '/.env', '/.git/config', '/robots.txt', '/server-status', '/%', '/%00', '//'],
  ...['/healthz/', '/healthz?x=%00', '/healthz/..', '//healthz', '/api/v1/openapi.json'],
  ...[
    '/api/v1/openapi.yaml',
    '/api/v1/openapi.json/',
    '/pay/~payment~',
    '/constructor',
    '/__proto__',
  ],
] as const

const methods = [
  'GET',
  'GET',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'TRACE',
] as const

export function makeOriginRequest(random: Random): Made {
  if (random.chance(0.5)) return makeCallback(random)
  const method = random.pick(methods)
  const target = random.pick(places)
  const has_body = random.chance(0.2)
  return {
    label: 'a door',
    method,
    target,
    headers: [host, ...(has_body ? [['Content-Type', 'application/json'] as const] : [])],
    body: has_body ? Buffer.from(writeJson(hostileValue(random))) : undefined,
    framing: { is: 'length' },
  }
}

/** What the operator would send, as far as it is not spoiled. */
function operatorOrder(random: Random) {
  return {
    id: random.chance(0.7) ? '~external~' : 'op-1',
    reference: random.chance(0.8) ? '~order~' : random.pick(['x', '~payment~', '\0']),
    status: random.pick(['PENDING', 'OTP_REQUIRED', 'SUCCESSFUL', 'FAILED', 'LATER']),
    amount: random.pick(['5000', '5163', '0', '-1', '1e9', '5163.00']),
    currency: random.pick(['XOF', 'GHS', 'xof', '']),
    reason: random.pick(['', 'NOT_APPROVED', 'x'.repeat(500), '\u202e']),
    checkout_url: random.pick(['', 'https://hook.invalid/', 'javascript:x']),
  }
}

const callbackPaths = [
  ...['/callbacks/simulator_a/~token~', '/callbacks/simulator_a/~token~', '/callbacks/simulator_a'],
  ...['/callbacks/simulator_b/~token~', '/callbacks/simulator_b', '/callbacks/nobody/~token~'],
  ...[
    '/callbacks/__proto__',
    '/callbacks/constructor/x',
    '/callbacks/simulator_a/%00',
    '/callbacks/',
  ],
  ...[
    '/callbacks/simulator_a/~token~x',
    '/callbacks/simulator_a/~token~/x',
    '/callbacks/%E9/~token~',
  ],
  `/callbacks/simulator_a/${'A'.repeat(86)}`,
] as const

function makeCallback(random: Random): Made {
  const body = operatorOrder(random)
  const changed = random.chance(0.4) ? mutateValue(random, body) : { value: body, label: '' }
  const json = Buffer.from(writeJson(changed.value))
  const text = random.chance(0.2) ? mutateText(random, json) : { value: json, label: '' }
  const signed = random.chance(0.6)
  const signature = signed
    ? ([
        ['X-Sim-Timestamp', '~now~'],
        ['X-Sim-Signature', '~signature~'],
      ] as const)
    : ([
        ['X-Sim-Timestamp', random.pick(['~now~', '0', '9'.repeat(30), 'x', ''])],
        ['X-Sim-Signature', random.pick(['', 'x', '0'.repeat(64), 'é'])],
      ] as const)
  return {
    label: `a callback ${changed.label} ${text.label}`.trimEnd(),
    method: random.pick(['POST', 'POST', 'POST', 'PUT', 'GET']),
    target: random.pick(callbackPaths),
    headers: [
      host,
      ['Content-Type', random.pick(['application/json', 'text/plain', 'x'])],
      ...signature,
    ],
    body: text.value,
    framing: { is: 'length' },
  }
}
