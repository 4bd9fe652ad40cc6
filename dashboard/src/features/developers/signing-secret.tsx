// A webhook's secret, shown once, and how a server checks a delivery with it. The code is that of
// docs/guides/webhooks.md, which a test runs against real deliveries.

import { Copy } from '../../ui/copy.tsx'
import { Code } from '../../ui/facts.tsx'
import { Secret } from '../../ui/secret.tsx'
import { t } from '../../words/translate.ts'
import { verifyCode } from './verify-code.ts'

type Props = Readonly<{ secret: string; onKept: () => void }>

export const SigningSecret = ({ secret, onKept }: Props) => (
  <>
    <Secret name={t('hook_secret')} secret={secret} onKept={onKept} />
    <VerifyCode />
  </>
)

export const VerifyCode = () => (
  <section>
    <h2>{t('hook_verify')}</h2>
    <p>{t('hook_verify_how')}</p>
    {verifyCode.map(({ language, text }) => (
      <details key={language}>
        <summary>{language}</summary>
        <Code name={language} text={text} />
        <Copy text={text} name={t('copy')} />
      </details>
    ))}
  </section>
)
