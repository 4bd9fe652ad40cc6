// What a page says before anybody is signed in, in French: signing in, waiting, failing, and what
// the entrances share with every screen. French is written first, and is the list of what English
// must say; the frame and each screen bring their words.

import type { words as acts } from './fr-acts.ts'
import type { words as columns } from './fr-columns.ts'
import type { words as developers } from './fr-developers.ts'
import type { words as entrance } from './fr-entrance.ts'
import type { words as frame } from './fr-frame.ts'
import type { words as screens } from './fr-screens.ts'

export const words = {
  again: 'Réessayer',
  amount: 'Montant',
  back: 'Retour',
  broken: 'Un problème est survenu. Réessayez.',
  busy: 'Un instant…',
  cancel: 'Annuler',
  change: 'Modifier',
  code: 'Code de sécurité',
  code_hint: 'Les six chiffres de votre application, ou un code de secours.',
  code_wrong: 'Ce code n’est pas le bon, ou il a déjà servi. Attendez le suivant.',
  colon: ' :',
  columns: 'Colonnes',
  copied: 'Copié',
  country: 'Pays',
  currency: 'Devise',
  date: 'Date',
  day_missing: 'Indiquez une date.',
  email: 'Adresse e-mail',
  event: 'Événement',
  fill_in: 'À remplir.',
  first_name: 'Prénom',
  forgot_title: 'Mot de passe oublié',
  from: 'Du',
  given_up: 'Le réseau est trop lent : nous avons cessé d’attendre.',
  key: 'Clé',
  last_name: 'Nom de famille',
  loading: 'Chargement…',
  look_at_fields: 'Vérifiez les champs signalés.',
  merchant: 'Marchand',
  method: 'Moyen de versement',
  network: 'Réseau',
  no_account: 'Créer un compte',
  not_a_sum: 'Indiquez un montant, comme 12 500.',
  offline: 'Pas de connexion : rien n’est envoyé.',
  offline_not_sent: 'Pas de connexion : rien n’a été envoyé. Recommencez à son retour.',
  offline_screen: 'Cette page n’est pas encore chargée : elle viendra avec la connexion.',
  optional: 'Facultatif.',
  other_language: 'English',
  pages: 'Pages',
  password: 'Mot de passe',
  password_hint: 'Huit caractères ou plus ; une phrase est plus sûre qu’un mot.',
  password_new: 'Nouveau mot de passe',
  phone: 'Téléphone',
  recovery_code: 'Code de secours',
  recovery_code_hint: 'Un de ceux que vous avez imprimés ; il sert une seule fois.',
  recovery_code_none:
    'Plus de code de secours ? Demandez à notre équipe de retirer votre second facteur.',
  recovery_code_use: 'Téléphone perdu ? Code de secours',
  request_id: 'Numéro de requête : {id}',
  request_id_copy: 'Copier ce numéro',
  reset_act: 'Changer le mot de passe',
  role: 'Rôle',
  role_ADMIN: 'Administrateur',
  role_ADMIN_how:
    'Tout, sauf ajouter ou retirer un propriétaire : argent, liens, clés, équipe, réglages.',
  role_DEVELOPER: 'Développeur',
  role_DEVELOPER_how:
    'Encaisse, crée liens, clés et webhooks. Ne fait sortir aucun argent en réel.',
  role_FINANCE: 'Responsable financier',
  role_FINANCE_how:
    'Encaisse, rembourse, fait versements, règlements, transferts et recharges, gère les ' +
    'clients. N’a pas accès aux réglages.',
  role_OWNER: 'Propriétaire',
  role_OWNER_how: 'Tout, y compris nommer d’autres propriétaires.',
  role_VIEWER: 'Lecteur',
  role_VIEWER_how: 'Consulte tout ce qui est vendu et payé, sans rien pouvoir changer.',
  search: 'Rechercher',
  session_not_kept: 'Votre navigateur n’a pas gardé la session. Ouvrez cette page en https.',
  shop_name: 'Nom de la boutique ou de l’entreprise',
  sign_in: 'Se connecter',
  slow: 'Le réseau est lent, nous essayons toujours…',
  status: 'Statut',
  theme: 'Thème',
  title_wrong: 'Erreur : {title}',
  unreached: 'Le service ne répond pas. Vérifiez votre connexion et réessayez.',
  unreached_title: 'Pas de réponse',
  until: 'Au',
  verify_act: 'Confirmer',
} as const

type Area =
  | typeof acts
  | typeof columns
  | typeof developers
  | typeof entrance
  | typeof frame
  | typeof screens
type KeysOf<Of> = Of extends unknown ? keyof Of : never

/** What is said by an area alone. */
export type WordsOf<Of> = Readonly<Record<keyof Of, string>>

export type Key = keyof typeof words | KeysOf<Area>
