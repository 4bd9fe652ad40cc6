// What a member's role allows, as the server's table has it (a test holds both against each other):
// what a person may not do is not offered. The server decides; this only spares a refusal.

export const mayAs = {
  VIEWER: ['read'],
  DEVELOPER: ['read', 'payins', 'checkout', 'links', 'webhooks', 'keys'],
  FINANCE: [...['read', 'payins', 'payouts', 'settlements', 'transfers', 'top_ups', 'customers']],
  ADMIN: [
    ...['read', 'payins', 'checkout', 'links', 'webhooks', 'keys', 'payouts', 'settlements'],
    ...['transfers', 'top_ups', 'customers', 'audit', 'members', 'whitelist', 'payout_methods'],
    'settings',
  ],
  OWNER: [
    ...['read', 'payins', 'checkout', 'links', 'webhooks', 'keys', 'payouts', 'settlements'],
    ...['transfers', 'top_ups', 'customers', 'audit', 'members', 'whitelist', 'payout_methods'],
    ...['settings', 'owners', 'closing'],
  ],
} as const satisfies Record<string, readonly string[]>

export type Role = keyof typeof mayAs
export type Right = (typeof mayAs)['OWNER'][number]

export function may(role: Role, right: Right): boolean {
  const rights: readonly string[] = mayAs[role]
  return rights.includes(right)
}

/** From the widest role to the narrowest. */
export const rolesThatMay = (right: Right): Role[] =>
  (['OWNER', 'ADMIN', 'FINANCE', 'DEVELOPER', 'VIEWER'] as const).filter((role) => may(role, right))
