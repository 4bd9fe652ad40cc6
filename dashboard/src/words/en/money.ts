// The words of acts that move money, refunds, payouts, balances, in English.

import type { money as french } from '../fr/money.ts'

export const money: Readonly<Record<keyof typeof french, string>> = {
  answer_lost:
    'No answer: we do not know whether your request arrived. Ask again: nothing will be done twice.',
  ask_again: 'Ask again',
  code_for_act: 'The six digits from your app: this act is protected.',
  menu_books: 'Books',
  menu_money: 'Money',
  menu_sell: 'Sell',
  not_in_your_role: 'Your role does not allow this. Who may: {roles}.',
  not_while_suspended: 'The account is suspended: nothing can be changed.',
}
