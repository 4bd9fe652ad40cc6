// What a developer, or whoever has to prove something, reads of a payment or payout: the API's own
// answer, and the hash of each thing that its outcomes rest on. Folded; evidence is read when it is
// opened.

import { type ReactNode, useState } from 'react'
import type {
  TransactionDetail as Detail,
  TransactionEvidence as Evidence,
  GetTransactionsByIdEvidenceData,
  GetTransactionsByIdEvidenceResponse,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { useHere } from '../../parts/place.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Code } from '../../ui/facts.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { evidenceSaid } from './evidence-said.ts'

type FoldProps = Readonly<{ name: string; children: ReactNode }>

function Fold({ name, children }: FoldProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{name}</summary>
      {isOpen && children}
    </details>
  )
}

export const Answers = ({ of }: { of: Detail }) => (
  <section className="answers">
    <Fold name={t('evidence')}>
      <EvidenceOf key={of.updated_at} id={of.id} />
    </Fold>
    <Fold name={t('as_json')}>
      <Json of={of} />
    </Fold>
  </section>
)

/** As it came, key by key. Numbers that are hidden are so here too; a copy has them. */
function Json({ of }: { of: Detail }) {
  const { hidesNumbers, phone } = useHere()
  const text = JSON.stringify(of, null, 2)
  const { operation_msisdn: number } = of
  const isHidden = hidesNumbers && number !== ''
  return (
    <>
      <p className="hint">{t('as_json_how')}</p>
      <Code
        name={`GET /transactions/${of.id}/`}
        text={isHidden ? text.replaceAll(number, phone(number)) : text}
      />
      <Copy text={text} name={t('copy')} />
    </>
  )
}

function EvidenceOf({ id }: { id: string }) {
  const { place } = useHere()
  const reading = useRead<GetTransactionsByIdEvidenceData, GetTransactionsByIdEvidenceResponse>(
    place,
    { url: '/transactions/{id}/evidence/', path: { id } },
  )
  return (
    <Read of={reading}>
      {({ evidence }) => (
        <>
          <p className="hint">{t(evidence.length === 0 ? 'evidence_none' : 'evidence_how')}</p>
          <ol>
            {evidence.map((one) => (
              <li key={one.status_log}>
                <Row of={one} />
              </li>
            ))}
          </ol>
        </>
      )}
    </Read>
  )
}

/** What our own rules decided rests on nothing that was received, and has no hash. */
function Row({ of }: { of: Evidence['evidence'][number] }) {
  const { moment } = useHere()
  const { to_status, evidence_kind, said, hash, at } = of
  return (
    <>
      <b>{t(`step_became_${to_status}`)}</b>
      <span className="mute small line">
        {moment(at)} · {t(`step_rests_on_${evidence_kind}`)}
        {said !== '' && (
          <>
            {' '}
            · <bdi>{evidenceSaid(said)}</bdi>
          </>
        )}
      </span>
      {hash !== null && (
        <>
          <span className="small line">
            SHA-256{t('colon')} <code>{hash}</code>
          </span>
          <Copy text={hash} name={t('evidence_copy')} />
        </>
      )}
    </>
  )
}
