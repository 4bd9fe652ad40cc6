// The papers that open live mode: which are wanted, which were sent, what was refused and why.

import { useEffect, useState } from 'react'
import type {
  DeleteKycDocumentsByIdData,
  GetKycData,
  GetKycResponse,
  KycDocument,
  KycFile,
  PostKycDocumentsData,
  PostKycDocumentsResponse,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { downloadFile } from '../../data/download.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { lookAtSession } from '../../data/session.ts'
import { Allowed, Why } from '../../parts/allowed.tsx'
import { type Reason, useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Asking } from '../../ui/asking.tsx'
import { Button, errorAt, SelectField } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Read } from '../../ui/state.tsx'
import { type State, Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { FileField } from './file-field.tsx'
import { madeSmaller } from './smaller-photo.ts'

const address = '/kyc/'
const kinds = ['IDENTITY', 'BUSINESS_REGISTRATION', 'TAX', 'BANK', 'ADDRESS', 'OTHER'] as const

export function Verification() {
  const { place, to, whyNot, merchant } = useHere()
  const on = whyNot('settings', 'read') === undefined
  const reading = useRead<GetKycData, GetKycResponse>(place, { url: address }, { on })
  // Whoever has signed in before does not know how the papers stand now, nor that live is open.
  const now = reading.data?.kyc_status
  const isOpenNow = now === 'APPROVED' && !merchant.live_enabled
  const isNews = now !== undefined && (now !== merchant.kyc_status || isOpenNow)
  useEffect(() => {
    if (isNews) void lookAtSession({ isBackground: true }).catch(() => undefined)
  }, [isNews])
  return (
    <Page title={t('verification')}>
      <p>
        <Link href={to('/settings')}>{t('settings')}</Link>
      </p>
      <Allowed right="settings" to="read">
        <Read of={reading}>{(file) => <Whole of={file} />}</Read>
      </Allowed>
    </Page>
  )
}

function stateOfPaper(status: KycDocument['status'] | KycFile['kyc_status']): State {
  if (status === 'APPROVED') return { shape: 'done', word: 'kyc_APPROVED' }
  if (status === 'REJECTED') return { shape: 'failed', word: 'kyc_REJECTED' }
  if (status === 'NONE') return { shape: 'off', word: 'kyc_NONE' }
  return { shape: 'waits', word: 'kyc_PENDING' }
}

/** Of a suspended shop the file is read: a suspension may be for a paper that was refused. */
function Whole({ of }: { of: KycFile }) {
  const { me, merchant, whyNot } = useHere()
  const isProofLeft = of.kyc_status === 'APPROVED' && !merchant.live_enabled
  const why = whyNot('settings')
  return (
    <>
      <section className="outcome">
        {why === undefined && (
          <p className="said">{t(isProofLeft ? 'said_kyc_proof' : `said_kyc_${of.kyc_status}`)}</p>
        )}
        {isProofLeft && !me.member.email_verified && <ProveEmail />}
        <p>
          <Status of={stateOfPaper(of.kyc_status)} />
        </p>
        {of.kyc_note !== '' && (
          <p>
            <bdi>{of.kyc_note}</bdi>
          </p>
        )}
      </section>
      <div className="columns">
        {why !== undefined && <NotNow of={why} />}
        {why === undefined && of.kyc_status !== 'APPROVED' && <Send />}
        <section>
          <h2>{t('kyc_papers')}</h2>
          {kinds.map((kind) => (
            <Papers key={kind} kind={kind} of={of.documents.filter((one) => one.kind === kind)} />
          ))}
        </section>
      </div>
    </>
  )
}

type PapersProps = Readonly<{ kind: (typeof kinds)[number]; of: readonly KycDocument[] }>

const Papers = ({ kind, of }: PapersProps) => (
  <>
    <h3 className="card-line">
      {t(`paper_${kind}`)}
      {of.length === 0 && <Status of={stateOfPaper('NONE')} />}
    </h3>
    {of.length > 0 && (
      <ul className="cards">
        {of.map((one) => (
          <Paper key={one.id} of={one} />
        ))}
      </ul>
    )}
  </>
)

function Paper({ of }: { of: KycDocument }) {
  const { place, moment, may } = useHere()
  const { failure, isBusy, run } = useAct()
  const remove = async () => {
    await call<DeleteKycDocumentsByIdData, null>({
      ...{ method: 'DELETE', url: '/kyc/documents/{id}/', path: { id: of.id }, place },
    })
    await readAgain(address)
  }
  return (
    <li className="card">
      <span className="card-line">
        <b>
          <bdi>{of.file_name}</bdi>
        </b>
        <Status of={stateOfPaper(of.status)} />
      </span>
      <span className="mute small line">{moment(of.created_at)}</span>
      {of.note !== '' && (
        <p className="wrong">
          <bdi>{of.note}</bdi>
        </p>
      )}
      <div className="row-acts">
        <Refused failure={failure} />
        <Button
          look="plain"
          busy={isBusy}
          onClick={() => run(() => downloadFile(place, `/kyc/documents/${of.id}/file/`))}
        >
          {t('kyc_open')}
        </Button>
        {of.status === 'PENDING' && may('settings') && (
          <Asking name={t('kyc_remove')} text={t('kyc_remove_how')} isGrave act={remove} />
        )}
      </div>
    </li>
  )
}

/** In place of what may be sent. */
const NotNow = ({ of }: { of: Reason }) => (
  <section>
    <h2>{t('kyc_send')}</h2>
    <Why of={of} />
  </section>
)

const Send = () => (useHere().me.member.email_verified ? <Upload /> : <EmailFirst />)

const ProveEmail = () => (
  <Link className="button act" href="/me">
    {t('live_email_prove')}
  </Link>
)

/** The service takes papers from whoever has proved their address. */
const EmailFirst = () => (
  <section>
    <h2>{t('kyc_send')}</h2>
    <p>{t('kyc_email_first')}</p>
    <ProveEmail />
  </section>
)

/** Whether this is a telephone or a tablet: those have a camera of their own. */
const hasCamera = (): boolean => matchMedia('(pointer: coarse)').matches

/** On a telephone the camera is one press away; a large photograph is made smaller first. */
function Upload() {
  const { place } = useHere()
  const { failure, isBusy, run } = useAct()
  const [kind, setKind] = useState<(typeof kinds)[number]>('IDENTITY')
  const [isSent, setIsSent] = useState(false)
  const send = (file: File) => {
    setIsSent(false)
    return run(async () => {
      await call<PostKycDocumentsData, PostKycDocumentsResponse>({
        ...{ method: 'POST', url: '/kyc/documents/', place },
        query: { kind, file_name: file.name },
        body: await madeSmaller(file),
      })
      setIsSent(true)
      await readAgain(address)
    })
  }
  return (
    <section>
      <h2>{t('kyc_send')}</h2>
      <SelectField
        label={t('kyc_kind')}
        value={kind}
        options={kinds.map((one) => [one, t(`paper_${one}`)])}
        onChange={({ currentTarget: { value } }) =>
          setKind(kinds.find((one) => one === value) ?? kind)
        }
      />
      {hasCamera() && (
        <FileField
          label={t('kyc_photo')}
          accept="image/jpeg,image/png"
          capture="environment"
          busy={isBusy}
          onTake={send}
        />
      )}
      <FileField
        label={t('kyc_file')}
        hint={t('kyc_file_hint')}
        error={errorAt(failure, 'file_name') ?? errorAt(failure, 'body')}
        accept="application/pdf,image/jpeg,image/png"
        busy={isBusy}
        onTake={send}
      />
      <p role="status">{isBusy ? t('busy') : isSent ? t('kyc_sent') : ''}</p>
      <Refused failure={failure} />
    </section>
  )
}
