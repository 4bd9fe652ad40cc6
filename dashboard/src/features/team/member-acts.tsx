// Inviting a member, giving one another role, taking one out, leaving. Only an owner gives or takes
// the owner's role; the last owner stays.

import { type RefObject, useRef, useState } from 'react'
import type {
  DeleteMerchantMembersByIdData,
  DeleteMerchantMembersByIdResponse,
  MerchantMember,
  PatchMerchantMembersByIdData,
  PatchMerchantMembersByIdResponse,
  PostMerchantInvitationsData,
  PostMerchantInvitationsResponse,
} from '../../api/types.gen.ts'
import { call, root } from '../../data/call.ts'
import { readAgain } from '../../data/queries.ts'
import type { Role } from '../../data/rights.ts'
import { useChanges } from '../../parts/changes.ts'
import { useHere } from '../../parts/place.tsx'
import { useAct } from '../../ui/act.tsx'
import { Asking } from '../../ui/asking.tsx'
import { Button, errorAt, Form, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'

const read = () => readAgain('/merchant-members/')
const all: readonly Role[] = ['VIEWER', 'DEVELOPER', 'FINANCE', 'ADMIN', 'OWNER']

type ActsProps = Readonly<{ of: MerchantMember; name: string; isLastOwner: boolean }>

export function MemberActs({ of, name, isLastOwner }: ActsProps) {
  const { may, me } = useHere()
  const isOwn = of.email === me.member.email
  const isTheirs = may('members') && (of.role !== 'OWNER' || may('owners'))
  if (isLastOwner) {
    return isOwn || may('members') ? <p className="hint">{t('team_last_owner')}</p> : null
  }
  return (
    <>
      {isTheirs && <RoleChange of={of} name={name} />}
      {isOwn ? (
        <Leaving of={of} />
      ) : (
        isTheirs && <Removal of={of} word="team_remove" how={t('team_remove_how', { name })} />
      )}
    </>
  )
}

type SaveRole = (send: (role: Role) => Promise<unknown>) => Promise<void>

/** Of a suspended shop nobody leaves: the API refuses it. */
function Leaving({ of }: Pick<ActsProps, 'of'>) {
  const { merchant } = useHere()
  if (merchant.status === 'SUSPENDED') return <p className="hint">{t('not_while_suspended')}</p>
  return (
    <Removal of={of} word="team_leave" how={t('team_leave_how', { merchant: merchant.name })} />
  )
}

function RoleChange({ of, name }: Omit<ActsProps, 'isLastOwner'>) {
  const { place } = useHere()
  const save = useRef<SaveRole>(undefined)
  const change = async () => {
    await save.current?.((role) =>
      call<PatchMerchantMembersByIdData, PatchMerchantMembersByIdResponse>({
        ...{ method: 'PATCH', url: '/merchant-members/{id}/', path: { id: of.id }, place },
        body: { role },
      }),
    )
    await read()
  }
  return (
    <Asking name={t('team_change_role')} text={t('team_change_role_how', { name })} act={change}>
      <RoleField from={of.role} save={save} />
    </Asking>
  )
}

type RoleFieldProps = Readonly<{ from: Role; save: RefObject<SaveRole | undefined> }>

/** Drawn with its dialog: it begins with the role as it is then, and sends no other than chosen. */
function RoleField({ from, save }: RoleFieldProps) {
  const { may } = useHere()
  const [role, setRole] = useState<Role>(from)
  const changes = useChanges({ role: from })
  save.current = (send) =>
    changes.save({ role }, async ({ role: other }) => other !== undefined && send(other))
  const offered = all.filter((one) => one !== 'OWNER' || may('owners'))
  return (
    <SelectField
      label={t('role')}
      hint={t(`role_${role}_how`)}
      name="role"
      value={role}
      options={offered.map((one) => [one, t(`role_${one}`)])}
      onChange={({ currentTarget: { value } }) => setRole(all.find((one) => one === value) ?? role)}
    />
  )
}

type RemovalProps = Readonly<{
  of: MerchantMember
  word: 'team_leave' | 'team_remove'
  how: string
}>

/** Their keys go on working unless that is taken away too: a server may depend on them. */
function Removal({ of, word, how }: RemovalProps) {
  const { place, may } = useHere()
  const [isWithKeys, setIsWithKeys] = useState(false)
  const remove = async () => {
    await call<DeleteMerchantMembersByIdData, DeleteMerchantMembersByIdResponse>({
      ...{ method: 'DELETE', url: '/merchant-members/{id}/', path: { id: of.id }, place },
      ...(isWithKeys && { query: { revoke_keys: 'true' as const } }),
    })
    if (word === 'team_leave') location.assign(root)
    else await read()
  }
  return (
    <Asking name={t(word)} text={how} isGrave act={remove}>
      {may('keys') && (
        <label className="choice">
          <input
            type="checkbox"
            checked={isWithKeys}
            onChange={({ currentTarget: { checked } }) => setIsWithKeys(checked)}
          />
          {t('team_revoke_keys')}
        </label>
      )}
    </Asking>
  )
}

export function InvitationForm({ roles }: { roles: readonly Role[] }) {
  const { place, may } = useHere()
  const { failure, isBusy, run } = useAct()
  const [role, setRole] = useState<Role>('VIEWER')
  const [sent, setSent] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const submit = async (form: FormData) => {
    setSent(undefined)
    const isMade = await run(async () => {
      const made = await call<PostMerchantInvitationsData, PostMerchantInvitationsResponse>({
        ...{ method: 'POST', url: '/merchant-invitations/', place },
        body: { email: textIn(form, 'email'), role },
      })
      setSent(made.email)
      // Emptied where it stands: a refusal leaves what was typed, and the focus stays for the next.
      if (field.current !== null) field.current.value = ''
    })
    // Not waited for: whoever has typed the next address by then would press in vain.
    if (isMade) await readAgain('/merchant-invitations/')
  }
  return (
    <Form name={t('team_invite')} failure={failure} fields={['email', 'role']} onSubmit={submit}>
      <h3>{t('team_invite')}</h3>
      <TextField
        ref={field}
        label={t('email')}
        error={errorAt(failure, 'email')}
        name="email"
        type="email"
        maxLength={254}
        autoComplete="off"
        required
      />
      <SelectField
        label={t('role')}
        hint={t(`role_${role}_how`)}
        error={errorAt(failure, 'role')}
        value={role}
        options={roles
          .filter((one) => one !== 'OWNER' || may('owners'))
          .map((one) => [one, t(`role_${one}`)])}
        onChange={({ currentTarget: { value } }) =>
          setRole(roles.find((one) => one === value) ?? role)
        }
      />
      <Button type="submit" busy={isBusy}>
        {t('team_invite')}
      </Button>
      {sent !== undefined && <p role="status">{t('team_invited', { email: sent })}</p>}
    </Form>
  )
}
