// What the endpoints' routes can refuse, beside what every route can.

import { defineErrors } from '../platform/errors.ts'
import { replay_events_max, webhooks_max } from './webhook.ts'

export const webhookErrors = defineErrors({
  ip_not_whitelisted: {
    status: 403,
    message: {
      en:
        'An API key may not set a live signing_secret from this address. Add the address to ' +
        'the IP whitelist.',
      fr:
        'Depuis cette adresse, une clé ne peut pas définir de signing_secret en mode réel. ' +
        'Ajoutez-la à la liste d’adresses IP.',
    },
  },
  webhook_limit_reached: {
    status: 422,
    message: {
      en: `An account can have at most ${webhooks_max} webhooks per environment. Delete one.`,
      fr: `Un compte a au plus ${webhooks_max} webhooks par environnement. Supprimez-en un.`,
    },
  },
  webhook_deleted: {
    status: 409,
    message: {
      en: 'This webhook has been deleted: nothing more is sent to it.',
      fr: 'Ce webhook a été supprimé : plus rien ne lui est envoyé.',
    },
  },
  already_subscribed: {
    status: 409,
    message: {
      en: 'This webhook is already subscribed to this event.',
      fr: 'Ce webhook est déjà abonné à cet événement.',
    },
  },
  no_rotation: {
    status: 409,
    message: {
      en: 'There is no new secret to confirm: rotate it first.',
      fr: 'Il n’y a pas de nouveau secret à confirmer : lancez d’abord une rotation.',
    },
  },
  rotation_replaced: {
    status: 409,
    message: {
      en:
        'Another new secret is pending now than the one you read: put that one on your server, ' +
        'or rotate again.',
      fr:
        'Le nouveau secret en attente n’est plus celui que vous avez lu : mettez celui-là sur ' +
        'votre serveur, ou lancez une autre rotation.',
    },
  },
  replay_in_progress: {
    status: 409,
    message: {
      en: 'A replay of this webhook is under way. Wait until it is done.',
      fr: 'Un renvoi d’événements est en cours pour ce webhook. Attendez qu’il soit terminé.',
    },
  },
  replay_too_large: {
    status: 422,
    message: {
      en: `More than ${replay_events_max} events: choose a later time, or read /events/.`,
      fr:
        `Plus de ${replay_events_max} événements : choisissez une date plus récente, ou lisez ` +
        '/events/.',
    },
  },
  webhook_inactive: {
    status: 409,
    message: {
      en: 'This webhook is disabled. Set "is_active" to true first.',
      fr: 'Ce webhook est désactivé. Mettez d’abord « is_active » à true.',
    },
  },
})
