// The lines of a merchant's journal and the account each is written to. The defaults are accounts
// of the revised SYSCOHADA (OHADA's Acte uniforme relatif au droit comptable, in force since 2018;
// titles as in its plan de comptes, compared with Odoo's l10n_syscohada). A merchant with a chart
// of its own may set others.

import { type Static, Type } from 'typebox'

export const defaultAccounts = {
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

const account = (line: keyof typeof defaultAccounts, about: string) =>
  Type.String({
    pattern: '^[1-9][0-9]{1,9}$',
    description: `${about} Default ${defaultAccounts[line]}.`,
    'x-message': {
      en: 'Must be an account number of 2 to 10 digits, such as 552.',
      fr: 'Doit être un numéro de compte de 2 à 10 chiffres, par exemple 552.',
    },
  })

export const AccountsSchema = Type.Object(
  {
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
  },
  { title: 'JournalAccounts' },
)

export type Accounts = Readonly<Static<typeof AccountsSchema>>
