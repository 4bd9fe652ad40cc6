// Why a webhook's server gave no answer, as the API writes it in parentheses; a test holds the list
// against the server's own.

export const silences = [
  'address_not_allowed',
  'connect_timeout',
  'dns',
  'refused',
  'reset',
  'timeout',
  'tls',
  'unreadable',
] as const
