// The refusals that any route can answer (contract 1.3): who calls, what they may do, how they
// called. Each message says what to do next; codes are contract and never change.

import { defineErrors } from '../errors.ts'

/** What refuses a caller before the body is read. */
export const accessErrors = defineErrors({
  not_authenticated: {
    status: 401,
    message: {
      en: 'Send your secret key in the header "Authorization: Bearer <key>".',
      fr: 'Envoyez votre clé secrète dans l’en-tête « Authorization: Bearer <clé> ».',
    },
  },
  invalid_api_key: {
    status: 401,
    message: {
      en: 'There is no such API key. Copy it again, or create a new one in the dashboard.',
      fr: 'Cette clé API n’existe pas. Copiez-la à nouveau ou créez-en une autre.',
    },
  },
  expired_api_key: {
    status: 401,
    message: {
      en: 'This API key has expired. Create a new one in the dashboard.',
      fr: 'Cette clé API a expiré. Créez-en une nouvelle dans le tableau de bord.',
    },
  },
  revoked_api_key: {
    status: 401,
    message: {
      en: 'This API key was revoked. Use another one, or create a new one in the dashboard.',
      fr: 'Cette clé API a été révoquée. Utilisez-en une autre ou créez-en une nouvelle.',
    },
  },
  session_expired: {
    status: 401,
    message: {
      en: 'This session has ended. Sign in again.',
      fr: 'Cette session est terminée. Connectez-vous à nouveau.',
    },
  },
  api_key_scope_forbidden: {
    status: 403,
    message: {
      en: 'The scope of this API key does not allow this. Use a key with the right scope.',
      fr: 'La portée de cette clé API ne le permet pas. Utilisez une clé qui l’autorise.',
    },
  },
  ip_not_whitelisted: {
    status: 403,
    message: {
      en: 'This API key may not be used from this address. Add it to the key’s ip_whitelist.',
      fr: 'Cette clé API n’est pas autorisée depuis cette adresse. Ajoutez-la à son ip_whitelist.',
    },
  },
  permission_denied: {
    status: 403,
    message: {
      en: 'This belongs to another account, or your role does not allow this operation.',
      fr: 'Cet élément appartient à un autre compte, ou votre rôle ne permet pas cette opération.',
    },
  },
  dashboard_only: {
    status: 403,
    message: {
      en: 'This operation is not available to API keys. Sign in to the dashboard to do it.',
      fr: 'Cette opération n’est pas ouverte aux clés API. Faites-la depuis le tableau de bord.',
    },
  },
  totp_required: {
    status: 403,
    message: {
      en: 'This requires a code from your authenticator app, given within the last 10 minutes.',
      fr: 'Cette action exige un code de votre application, donné il y a moins de 10 minutes.',
    },
  },
  merchant_suspended: {
    status: 403,
    message: {
      en: 'This merchant account is suspended and read-only. Contact support.',
      fr: 'Ce compte marchand est suspendu : lecture seule. Contactez le support.',
    },
  },
  live_mode_not_enabled: {
    status: 403,
    message: {
      en:
        'Live mode opens once the account is approved and an owner has confirmed their e-mail ' +
        'address. Use a test key until then.',
      fr:
        'Le mode réel s’ouvre quand le compte est approuvé et qu’un propriétaire a confirmé son ' +
        'adresse e-mail. Utilisez une clé de test d’ici là.',
    },
  },
  rate_limited: {
    status: 429,
    retryable: true,
    message: {
      en: 'Too many requests. Wait for the seconds given in Retry-After, then try again.',
      fr: 'Trop de requêtes. Attendez les secondes indiquées par Retry-After, puis réessayez.',
    },
  },
})

/** What refuses a request itself. */
export const transportErrors = defineErrors({
  not_found: {
    status: 404,
    message: {
      en: 'Nothing was found at this address. Check the path and the identifier.',
      fr: 'Rien n’a été trouvé à cette adresse. Vérifiez le chemin et l’identifiant.',
    },
  },
  method_not_allowed: {
    status: 405,
    message: {
      en: 'This address does not support this method. The Allow header lists those it does.',
      fr: 'Cette adresse n’accepte pas cette méthode. L’en-tête Allow donne la liste des méthodes.',
    },
  },
  bad_request: {
    status: 400,
    message: {
      en: 'The request is not readable HTTP. Check its headers and its encoding.',
      fr: 'La requête n’est pas du HTTP valide. Vérifiez ses en-têtes et son encodage.',
    },
  },
  malformed_json: {
    status: 400,
    message: {
      en: 'The body is not valid JSON in UTF-8. Check quotes, commas and brackets.',
      fr: 'Le corps n’est pas du JSON valide en UTF-8. Vérifiez guillemets, virgules et crochets.',
    },
  },
  request_timeout: {
    status: 408,
    message: {
      en: 'The request took too long to arrive. Send it again.',
      fr: 'La requête a mis trop de temps à arriver. Envoyez-la à nouveau.',
    },
  },
  payload_too_large: {
    status: 413,
    message: {
      en: 'The body is too large. Send less in one request.',
      fr: 'Le corps est trop volumineux. Envoyez moins de données par requête.',
    },
  },
  unsupported_media_type: {
    status: 415,
    message: {
      en: 'This content type is not supported here. Send "Content-Type: application/json".',
      fr: 'Ce type de contenu n’est pas accepté ici. Envoyez « Content-Type: application/json ».',
    },
  },
  headers_too_large: {
    status: 431,
    message: {
      en: 'The headers are too large. Send fewer or shorter ones.',
      fr: 'Les en-têtes sont trop volumineux. Envoyez-en moins ou de plus courts.',
    },
  },
  internal_error: {
    status: 500,
    message: {
      en: 'An error on our side. Check the status of the operation before you try again.',
      fr: 'Une erreur de notre côté. Vérifiez le statut de l’opération avant de réessayer.',
    },
  },
  service_unavailable: {
    status: 503,
    retryable: true,
    message: {
      en: 'The service is temporarily unavailable. Try again in a few seconds.',
      fr: 'Le service est momentanément indisponible. Réessayez dans quelques secondes.',
    },
  },
})
