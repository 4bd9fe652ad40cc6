// The house, top to bottom: a folder of server/src imports only itself and folders above its line.
// A new line here is a decision record that says why it stands there (docs/decisions/).

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
  'balance',
  'catalogue',
  'checkout',
  'countries',
  'country',
  'customer',
  'fee',
  'incident',
  'invoice',
  'kyc',
  'ledger',
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
  'tier',
  'transfer',
  'wallet',
]

/** Where a binary fraction would become somebody's money. */
export const moneyFolders: readonly Folder[] = ['money', 'pricing', 'rates', 'ledger']

/** The only place where a quotient is taken, because rounding stands beside it. */
export const divisionFolder: Folder = 'money'

/** What an adapter may see of `gateways/`, its own folder apart. */
export const portFiles: readonly string[] = [
  'gateway.ts',
  'conformance.ts',
  'reference-codec.ts',
  'timed-signature.ts',
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
