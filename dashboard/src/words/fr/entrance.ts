// The words of the entrances, in French: signing up, new passwords, what letters lead to.

export const entrance = {
  first_name: 'Prénom',
  forgot_how: 'Vous recevrez par e-mail un lien valable une fois, pendant une heure.',
  forgot_send: 'Envoyer le lien',
  forgot_title: 'Mot de passe oublié',
  invited_act: 'Accepter',
  invited_again: 'Demandez à la personne qui vous a invité d’en envoyer une autre.',
  invited_in: 'Vous êtes membre de {merchant}',
  invited_own_password: 'Celui de votre compte : vous en avez déjà un.',
  invited_sign_in: 'Connectez-vous avec ce mot de passe.',
  invited_title: 'Accepter l’invitation',
  keep_act: 'Arrêter le retrait',
  keep_again: 'Connectez-vous pour voir si votre second facteur est toujours là.',
  keep_done:
    'Votre second facteur reste en place. Si vous n’aviez rien demandé, changez de mot de passe.',
  keep_how: 'Son retrait a été demandé. Si ce n’était pas vous, arrêtez-le ici.',
  keep_title: 'Gardez votre second facteur',
  last_name: 'Nom de famille',
  letter_where:
    'Regardez aussi dans les indésirables. Le lien s’ouvre sur n’importe quel appareil.',
  letter_without_token: 'Ouvrez cette page par le lien de l’e-mail : sans lui, elle ne peut rien.',
  no_account: 'Créer un compte',
  password_hint: 'Huit caractères ou plus ; une phrase est plus sûre qu’un mot.',
  password_new: 'Nouveau mot de passe',
  phone: 'Téléphone',
  recovery_code: 'Code de secours',
  recovery_code_hint: 'Un de ceux que vous avez imprimés ; il sert une seule fois.',
  recovery_code_use: 'Téléphone perdu ? Un code de secours',
  register_act: 'Créer le compte',
  register_how:
    'Le mode test s’ouvre tout de suite. Le mode réel s’ouvre une fois vos documents vérifiés.',
  register_title: 'Créer un compte',
  reset_act: 'Changer le mot de passe',
  reset_done: 'Votre mot de passe a été changé. Connectez-vous avec le nouveau.',
  reset_how: 'Vous serez déconnecté de tous vos appareils.',
  reset_title: 'Choisissez un nouveau mot de passe',
  role: 'Rôle',
  role_ADMIN_how:
    'Tout, sauf ajouter ou retirer un propriétaire : argent, liens, clés, équipe, réglages.',
  role_DEVELOPER_how:
    'Encaisse, crée liens, clés et webhooks. Ne fait sortir aucun argent en réel.',
  role_FINANCE_how: 'Encaisse, verse, règle, transfère et gère les clients. Aucun réglage.',
  role_OWNER_how: 'Tout, y compris nommer d’autres propriétaires.',
  role_VIEWER_how: 'Consulte tout ce qui est vendu et payé, sans rien pouvoir changer.',
  shop_name: 'Nom de la boutique ou de l’entreprise',
  to_sign_in: 'Aller à la connexion',
  verify_act: 'Confirmer',
  verify_again: 'Connectez-vous : vous pouvez demander un nouvel e-mail depuis votre compte.',
  verify_choose: 'Un e-mail vous demande aussi de choisir un nouveau mot de passe.',
  verify_done: 'Votre adresse est confirmée.',
  verify_how:
    'Votre mot de passe montre que le compte est bien le vôtre. Vous pouvez confirmer sans ' +
    'lui, mais ce qu’une autre personne aurait ajouté au compte est alors retiré.',
  verify_password_hint: 'Conseillé.',
  verify_title: 'Confirmez votre adresse e-mail',
} as const
