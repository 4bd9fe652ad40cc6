// The words of what is said around the screens, in French.

export const shell = {
  live_done: 'Fait',
  live_email: 'Votre adresse e-mail',
  live_email_prove: 'Confirmer l’adresse',
  live_email_sent:
    'Nous vous avons envoyé un e-mail à {email} : ouvrez son lien pour confirmer l’adresse. ' +
    'Regardez aussi dans les indésirables.',
  live_later: 'Ensuite',
  live_looked_at: 'En cours',
  live_missing: 'À faire',
  live_not_open: 'Pour encaisser de l’argent réel',
  live_papers: 'Vos documents',
  live_papers_send: 'Envoyer des documents',
  live_refused: 'Refusé',
  live_review: 'Examen de votre dossier',
  new_version: 'Une nouvelle version est prête. Rechargez quand vous voulez.',
  offline_as_of: 'Pas de connexion : rien n’est envoyé. Ce que vous voyez date de {at}.',
  reload: 'Recharger',
  session_ends: 'Votre session va se terminer',
  session_ends_for_good:
    'Par sécurité, il faut se reconnecter au moins tous les 7 jours. ' +
    'Ce que vous avez commencé reste là.',
  session_ends_idle:
    'Le tableau de bord n’a pas servi depuis un moment. Par sécurité, il va se fermer.',
  session_left: 'Il reste {seconds} s.',
  session_stay: 'Prolonger la session',
  too_many_calls: 'Trop de demandes en une minute : reprise dans {seconds} s.',
} as const
