// The words of the entrances, in French: signing up, new passwords, what links lead to.

export const entrance = {
  email_where: 'Regardez aussi dans les indésirables. Le lien s’ouvre sur tout appareil.',
  email_without_token: 'Ouvrez le lien de l’e-mail : sans lui, cette page ne peut rien.',
  forgot_how: 'Vous recevrez par e-mail un lien valable une fois, pendant une heure.',
  forgot_send: 'Envoyer le lien',
  invited_act: 'Accepter',
  invited_again: 'Demandez-en une autre à la personne qui vous a invité.',
  invited_in: 'Vous êtes membre de {merchant}',
  invited_own_password: 'Celui que votre compte a déjà.',
  invited_sign_in: 'Connectez-vous avec ce mot de passe.',
  invited_title: 'Accepter l’invitation',
  keep_act: 'Le garder',
  keep_again: 'Connectez-vous pour voir s’il est toujours là.',
  keep_done:
    'Votre second facteur reste en place. Si vous n’aviez rien demandé, changez de mot de passe.',
  keep_how: 'Sa suppression a été demandée. Si ce n’était pas vous, gardez-le ici.',
  keep_title: 'Gardez votre second facteur',
  password_first: 'Choisissez un mot de passe',
  register_act: 'Créer le compte',
  register_how:
    'Le mode test s’ouvre tout de suite. Le mode réel s’ouvre une fois vos documents vérifiés.',
  register_title: 'Créer un compte',
  reset_done: 'Votre mot de passe a été changé. Connectez-vous avec le nouveau.',
  reset_how: 'Vous serez déconnecté de tous vos appareils.',
  reset_title: 'Choisir un nouveau mot de passe',
  start_link_cut:
    'Ouvrez le lien entier que le démarrage a affiché : sans sa fin, cette page ne peut rien.',
  start_link_title: 'Connexion à la démo',
  to_sign_in: 'Aller à la connexion',
  verify_again: 'Connectez-vous : demandez un nouvel e-mail depuis votre compte.',
  verify_again_in: 'Demandez un nouvel e-mail depuis votre compte.',
  verify_choose: 'Un e-mail vous demande aussi de choisir un nouveau mot de passe.',
  verify_done: 'Votre adresse est confirmée.',
  verify_go_on: 'Continuer',
  verify_how:
    'Votre mot de passe montre que le compte est le vôtre. Vous pouvez confirmer sans lui, ' +
    'mais ce qu’une autre personne aurait ajouté au compte est alors retiré.',
  verify_password_hint: 'Conseillé.',
  verify_title: 'Confirmez votre adresse e-mail',
} as const
