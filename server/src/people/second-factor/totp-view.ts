// What enrolling and giving a second factor answers; its secrets are shown once.

import { Type } from 'typebox'
import { tokenField } from '../sessions/session-reply.ts'

export const EnrolmentSchema = Type.Object(
  {
    secret: Type.String({ description: 'In base32, for apps that cannot scan.' }),
    otpauth_url: Type.String({ description: 'The content of the QR code.' }),
    qr_svg: Type.String({ description: 'The QR code as an SVG image.' }),
  },
  { title: 'TotpEnrolment' },
)

export const RecoveryCodesSchema = Type.Object(
  {
    recovery_codes: Type.Array(Type.String(), {
      description: 'Each works once in place of the app’s code. Shown only once.',
    }),
  },
  { title: 'RecoveryCodes' },
)

export const CodesLeftSchema = Type.Object(
  { recovery_codes_left: Type.Integer({ description: 'Those that were not used yet.' }) },
  { title: 'RecoveryCodesLeft' },
)

const renewed = {
  token: tokenField('Replaces the token of this call, which ends in 10 seconds.'),
  expires_at: Type.String({ format: 'date-time' }),
}

export const EnrolledSchema = Type.Object(
  { ...RecoveryCodesSchema.properties, ...renewed },
  { title: 'TotpEnrolled' },
)

export const VerifiedSchema = Type.Object(
  {
    verified_until: Type.String({
      format: 'date-time',
      description: 'Until then the new token may do what otherwise answers 403 `totp_required`.',
    }),
    ...renewed,
  },
  { title: 'TotpVerified' },
)

export const DisabledSchema = Type.Object(
  { totp_enabled: Type.Boolean() },
  { title: 'TotpDisabled' },
)

const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

export const enrolmentExample = {
  secret,
  otpauth_url: `otpauth://totp/Pirogue:awa%40shop.example?secret=${secret}&issuer=Pirogue`,
  qr_svg: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 49 49">…</svg>',
}

export const renewedExample = {
  token: 'sess_X7pZ0kQ3vJ2mT9bC4nR8sW1yD6fG5hL0aE3iU7oKqPs',
  expires_at: '2026-11-28T08:00:00.000Z',
}

export const codesExample = {
  recovery_codes: ['7K2M4-XQ0R9-B3WZ8-1H5TN-9CDEF', 'M4T7V-0Q8RZ-2KD6W-XN1HB-5GY3P'],
}
