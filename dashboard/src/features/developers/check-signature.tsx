// Whether a body that reached one's server is ours: what came is pasted, and the signature is
// worked out here. Law: neither the secret nor the body leaves this page, and nothing is kept.

import { type FormEvent, useState } from 'react'
import { serviceNow } from '../../data/clock.ts'
import { Button, Field, TextField } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'
import '../../ui/area.css'

type Verdict = 'is_ours' | 'is_old' | 'is_not_ours' | 'no_timestamp' | 'no_signature'

const tolerance_s = 300

/** Untrimmed: a space more in the body is another body. */
const rawIn = (form: FormData, name: string): string => String(form.get(name) ?? '')

async function hexSignature(secret: string, text: string): Promise<string> {
  const bytes = new TextEncoder()
  const by = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), by, false, ['sign'])
  const signed = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes.encode(text)))
  return [...signed].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function judge(form: FormData): Promise<Verdict> {
  const timestamp = rawIn(form, 'timestamp').trim()
  const signature = rawIn(form, 'signature').trim().toLowerCase()
  if (!/^\d{1,12}$/.test(timestamp)) return 'no_timestamp'
  if (!/^[0-9a-f]{64}$/.test(signature)) return 'no_signature'
  const text = `${timestamp}.${rawIn(form, 'body')}`
  if ((await hexSignature(rawIn(form, 'secret').trim(), text)) !== signature) return 'is_not_ours'
  const age_s = serviceNow() / 1000 - Number(timestamp)
  return age_s > tolerance_s || age_s < -tolerance_s ? 'is_old' : 'is_ours'
}

export function CheckSignature() {
  const [verdict, setVerdict] = useState<Verdict>()
  const check = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setVerdict(await judge(new FormData(event.currentTarget)))
  }
  return (
    <details>
      <summary>{t('signature_check')}</summary>
      <p>{t('signature_check_how')}</p>
      {window.isSecureContext ? (
        <form aria-label={t('signature_check')} onSubmit={check} noValidate>
          <TextField label="X-Webhook-Timestamp" name="timestamp" inputMode="numeric" {...plain} />
          <TextField label="X-Webhook-Signature" name="signature" {...plain} />
          <Field label={t('signature_body')} hint={t('signature_body_hint')}>
            {({ id, describedBy }) => (
              <textarea id={id} aria-describedby={describedBy} name="body" rows={6} {...plain} />
            )}
          </Field>
          <TextField label={t('signature_secret')} name="secret" type="password" {...plain} />
          <Button type="submit">{t('signature_compare')}</Button>
          {verdict !== undefined && (
            <p className="said" role="status">
              {t(`signature_${verdict}`)}
            </p>
          )}
        </form>
      ) : (
        <p className="wrong">{t('signature_needs_https')}</p>
      )}
    </details>
  )
}

const plain = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const
