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
  document_reviewed: {
    status: 409,
    message: {
      en: 'This document was reviewed and stays in the file. Upload another one beside it.',
      fr: 'Ce document a été examiné et reste au dossier. Ajoutez-en un autre.',
    },
  },
})
