// The words of acts that move money, refunds, payouts, balances, in French.

export const money = {
  answer_lost:
    'Pas de réponse : nous ne savons pas si votre demande est arrivée. Redemandez : rien ne sera fait deux fois.',
  ask_again: 'Redemander',
  code_for_act: 'Les six chiffres de votre application : cette action est protégée.',
  menu_books: 'Comptes',
  menu_money: 'Argent',
  menu_sell: 'Vendre',
  not_in_your_role: 'Votre rôle ne le permet pas. Peuvent le faire : {roles}.',
  not_while_suspended: 'Le compte est suspendu : rien ne peut être changé.',
} as const
