// The lines of a merchant's journal and the account each is written to. The defaults are accounts
// of the revised SYSCOHADA (OHADA's Acte uniforme relatif au droit comptable, in force since 2018;
// titles as in its plan de comptes, compared with Odoo's l10n_syscohada). A merchant with a chart
// of its own may set others, and whose each line is: the third party (compte tiers) that a program
// for books wants beside a collective account such as 4111.

import { type Static, Type } from 'typebox'

const defaultAccounts = {
  balance: '552',
  reserved: '585',
  frozen: '2758',
  debt: '4712',
  sales: '706',
  fees: '6317',
  payouts: '4711',
  settlements: '521',
  own_funds: '585',
  transfers: '585',
  incidents: '4711',
}

const account = (line: Line, about: string) =>
  Type.String({
    pattern: '^[1-9][0-9]{1,9}$',
    description: `${about} Default ${defaultAccounts[line]}.`,
    'x-message': {
      en: 'Must be an account number of 2 to 10 digits, such as 552.',
      fr: 'Doit être un numéro de compte de 2 à 10 chiffres, par exemple 552.',
    },
  })

/** What a line of the journal is, by the accounts that may be set. */
export type Line = keyof typeof defaultAccounts

export const isLine = (name: string): name is Line => Object.hasOwn(defaultAccounts, name)

const thirdParty = (line: Line) =>
  Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,16}$',
      description: `The third party on lines of \`${line}\`, by its code in your books.`,
      'x-message': {
        en: 'Must be a third party’s code of 1 to 17 letters, digits and . _ -, such as CDIVERS.',
        fr: 'Doit être un code de tiers : 1 à 17 lettres, chiffres et . _ -, par exemple CDIVERS.',
      },
    }),
  )

const lineAccounts = {
  balance: account('balance', 'Monnaie électronique - téléphone portable: your balance.'),
  reserved: account('reserved', 'Virements de fonds: held for operations under way.'),
  frozen: account('frozen', 'Autres dépôts et cautionnements: frozen by staff.'),
  debt: account('debt', 'Créditeurs divers: what you owe us after an incident.'),
  sales: account('sales', 'Services vendus: what customers paid (goods: 701).'),
  fees: account('fees', 'Frais sur instruments de monnaie électronique.'),
  payouts: account('payouts', 'Débiteurs divers: paid out, until you allocate it.'),
  settlements: account('settlements', 'Banques locales: paid to you (in cash: 571).'),
  own_funds: account('own_funds', 'Virements de fonds: your top-ups.'),
  transfers: account('transfers', 'Virements de fonds: between your countries.'),
  incidents: account('incidents', 'Débiteurs divers: contradictions, until cleared.'),
}

const ThirdPartiesSchema = Type.Object(
  {
    balance: thirdParty('balance'),
    reserved: thirdParty('reserved'),
    frozen: thirdParty('frozen'),
    debt: thirdParty('debt'),
    sales: thirdParty('sales'),
    fees: thirdParty('fees'),
    payouts: thirdParty('payouts'),
    settlements: thirdParty('settlements'),
    own_funds: thirdParty('own_funds'),
    transfers: thirdParty('transfers'),
    incidents: thirdParty('incidents'),
  },
  {
    title: 'JournalThirdParties',
    description:
      'Whose a line is in your books (compte tiers), by the same names; only what is set. ' +
      'For lines on a collective account, such as 4111.',
  },
)

export const AccountsSchema = Type.Object(
  { ...lineAccounts, third_parties: ThirdPartiesSchema },
  { title: 'JournalAccounts' },
)

/** How a merchant's journal is written: the account of each line, and whose it is. */
export type Accounts = Readonly<Static<typeof AccountsSchema>>

export const accountsByDefault: Accounts = { ...defaultAccounts, third_parties: {} }
