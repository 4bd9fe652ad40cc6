// The folders, top to bottom: a folder of server/src imports only itself and folders above its
// line. A new line here is a decision record that says why it stands there (docs/decisions/).

export const folderOrder = [
  'money',
  'platform',
  'audit',
  'events',
  'catalogue',
  'people',
  'merchants',
  'customers',
  'rates',
  'pricing',
  'ledger',
  'gateways',
  'attempts',
  'incidents',
  'adjustments',
  'orders',
  'transactions',
  'receipts',
  'planning',
  'payments',
  'payouts',
  'refunds',
  'wallets',
  'settlements',
  'quotes',
  'search',
  'timeline',
  'approvals',
  'reports',
  'checkout',
  'pages',
  'sandbox',
  'webhooks',
  'reference',
  'erasure',
  'app',
] as const

export type Folder = (typeof folderOrder)[number]

/** The last folder knows all the others, and none of them knows it. */
export const rim: Folder = 'app'

/** Only who is named imports these: what others need of them moves into a folder above both. */
export const importedOnlyBy: Readonly<Partial<Record<Folder, readonly Folder[]>>> = {
  // A payer's page is a second way to make and carry on a payment.
  payments: ['checkout', 'pages', 'app'],
}

/** What a folder does not import although it stands above: what both need moves above both. */
export const mustNotImport: Readonly<Partial<Record<Folder, readonly Folder[]>>> = {
  // Both carry out attempts: the engine is in attempts/, what opens incidents in incidents/.
  settlements: ['transactions'],
}

/** What is done with money here, and for whom: mechanisms do not know it. */
export const businessWords: readonly string[] = [
  'adjustment',
  'approval',
  'attempt',
  'balance',
  'catalogue',
  'checkout',
  'countries',
  'country',
  'customer',
  'fee',
  'gateway',
  'incident',
  'invoice',
  'kyc',
  'ledger',
  'member',
  'merchant',
  'operator',
  'otp',
  'payer',
  'payin',
  'payment',
  'payout',
  'price',
  'pricing',
  'prompt',
  'receipt',
  'refund',
  'settlement',
  'staff',
  'tier',
  'transaction',
  'transfer',
  'wallet',
  'webhook',
]

/** Names of the mechanisms that have such a word all the same, by what it means there. */
export const namesOfMechanisms: Readonly<Record<string, readonly string[]>> = {
  'a transaction of the database': [
    'TransactionSql',
    'assertNoTransaction',
    'idle_in_transaction_session_timeout',
    'TransactionMode',
    'inTransaction',
    'openTransaction',
    'transaction',
    'transactions_open',
    'withTransactionOpen',
  ],
  'the merchant whose rows are meant: keys, turns and ownership go by it': [
    'MerchantFacts',
    'merchant_id',
    'merchant_suspended',
  ],
  'who calls: a key, a member or staff; each has its cookie and its rights': [
    'MEMBER',
    'MemberRights',
    'STAFF',
    'StaffPermission',
    'StaffRights',
    'checkStaff',
    'member',
    'memberCookie',
    'member_id',
    'pirogue_member',
    'pirogue_staff',
    'staff',
    'staffCookie',
    'staff_permissions',
    'staff_role',
  ],
  'what a call with an Idempotency-Key has begun: columns of the key': [
    'attempt_id',
    'transaction_id',
  ],
  'words of others: a socket of Node, a role of PostgreSQL, a section of OpenAPI, an example': [
    'autoSelectFamilyAttemptTimeout',
    'becomeMember',
    'order-1042-attempt-1',
    'webhooks',
  ],
}

/** Where a binary fraction would become somebody's money. */
export const moneyFolders: readonly Folder[] = ['money', 'pricing', 'rates', 'ledger']

/** The only place where a quotient is taken, because rounding stands beside it. */
export const divisionFolder: Folder = 'money'

/** What an adapter may see of `gateways/`, its own folder apart. */
export const portFiles: readonly string[] = [
  'adapter.ts',
  'alarm-kinds.ts',
  'gateway.ts',
  'conformance.ts',
  'clock-findings.ts',
  'findings.ts',
  'holder.ts',
  'published.ts',
  'reference-codec.ts',
  'timed-signature.ts',
  'wallet.ts',
]

/** Folders of ours that an adapter may import, the port apart. */
export const adapterImports: readonly Folder[] = ['money', 'platform', 'catalogue']

/** The dashboard, top to bottom: each of its folders imports itself and those before it. */
export const dashboardOrder = [
  'api',
  'format',
  'words',
  'data',
  'ui',
  'parts',
  'features',
  'app',
] as const

/** Written by a tool and reviewed as a diff: sizes and comments are the tool's. */
export const generatedFolders: readonly string[] = ['dashboard/src/api/', 'sdk/src/generated/']

/** A file or folder with one of these words in its name never stops growing. */
export const bannedWords: readonly string[] = [
  'service',
  'services',
  'manager',
  'managers',
  'helper',
  'helpers',
  'util',
  'utils',
  'common',
  'shared',
  'misc',
  'types',
  'base',
]
