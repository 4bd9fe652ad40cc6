// What the KYC file can refuse, beside what every route can.

import { defineErrors } from '../../platform/errors.ts'
import { documents_max } from './document.ts'

export const kycErrors = defineErrors({
  document_limit_reached: {
    status: 409,
    message: {
      en: `A KYC file holds at most ${documents_max} documents. Delete one that is not needed.`,
      fr: `Un dossier KYC contient au plus ${documents_max} documents. Supprimez-en un.`,
    },
  },
  email_not_verified: {
    status: 403,
    message: {
      en:
        'Verify your e-mail address first: open the link that we e-mailed you, or request ' +
        'another.',
      fr: 'Confirmez d’abord votre adresse e-mail : ouvrez le lien reçu, ou redemandez-le.',
    },
  },
  upload_quota_reached: {
    status: 409,
    message: {
      en: 'Your documents have used all their storage space. Delete one, or send a smaller file.',
      fr:
        'Vos documents occupent tout l’espace autorisé. Supprimez-en un, ou envoyez un fichier ' +
        'plus petit.',
    },
  },
  file_infected: {
    status: 422,
    message: {
      en: 'Malware was found in this file. Scan your computer, then send a clean copy.',
      fr: 'Un logiciel malveillant a été trouvé dans ce fichier. Envoyez-en une copie saine.',
    },
  },
  document_reviewed: {
    status: 409,
    message: {
      en: 'This document has been reviewed and stays in the file. Upload another one beside it.',
      fr: 'Ce document a été examiné et reste au dossier. Ajoutez-en un autre.',
    },
  },
})
