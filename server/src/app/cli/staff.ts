// `staff create`, `staff list`, `staff disable`: the platform's own people. The first superadmin is
// made here, and can do nothing before enrolling a second factor.

import { randomBytes } from 'node:crypto'
import { text as readAll } from 'node:stream/consumers'
import type { Command } from 'commander'
import { Value } from 'typebox/value'
import { requireGoodPassword } from '../../people/password.ts'
import { emailField, emailOf, passwordField } from '../../people/person.ts'
import { createStaff } from '../../people/staff/add-staff.ts'
import { disableStaff } from '../../people/staff/change-staff.ts'
import { listStaff } from '../../people/staff/get-staff.ts'
import { type StaffMember, viewStaffMember } from '../../people/staff/staff-member.ts'
import { type StaffRole, staffRoles } from '../../people/staff-roles.ts'
import { invalid } from '../../platform/errors.ts'
import { given, wordFrom } from './arguments.ts'
import type { CliIo, Session } from './session.ts'

export function addStaffCommands(program: Command, run: Session, io: CliIo): void {
  const staff = program.command('staff').description('platform staff')
  addCreate(staff, run, io)

  staff
    .command('list')
    .description('list staff, oldest account first')
    .action(() =>
      run.withDb('pirogue_app', async (db) => {
        const all = await listStaff(db)
        const lines = all.length === 0 ? ['There are no staff yet.'] : all.map(lineOf)
        return { json: all.map(viewStaffMember), lines }
      }),
    )

  const disable = staff
    .command('disable [email]')
    .description('disable an account; its sessions end at once')
    .option('--email <address>', 'whose')
    .action(async (place: string | undefined, options: { email?: string }) => {
      const email = given(disable, 'email', options.email, place)
      await run.withDb('pirogue_app', async (db) => {
        const member = await disableStaff(db, email)
        return { json: viewStaffMember(member), lines: [`${member.email} is disabled.`] }
      })
    })
}

type CreateOptions = Readonly<{
  email?: string
  role: StaffRole
  firstName: string
  lastName: string
  passwordStdin?: true
}>

function addCreate(staff: Command, run: Session, io: CliIo): void {
  const create = staff
    .command('create [email]')
    .description('create an account; its password is shown only once')
    .option('--email <address>', 'to sign in with')
    .requiredOption('--role <role>', staffRoles.join(', '), wordFrom(staffRoles))
    .option('--first-name <name>', 'first name', '')
    .option('--last-name <name>', 'last name', '')
    .option('--password-stdin', 'read the password from standard input instead of generating one')
    .action(async (place: string | undefined, options: CreateOptions) => {
      const email = readEmail(given(create, 'email', options.email, place))
      const typed = options.passwordStdin === true ? await readPassword(io, email) : undefined
      const password = typed ?? randomBytes(18).toString('base64url')
      const { role, firstName: first_name, lastName: last_name } = options
      await run.withDb('pirogue_app', async (db) => {
        const request = { email, role, first_name, last_name, locale: 'en' as const, password }
        const made = viewStaffMember(await createStaff(db, request))
        const shown = typed === undefined
        const lines = [
          `${role} ${made.email} (${made.id}).`,
          ...(shown
            ? [`Password: ${password}`, 'The password is shown only once: we keep only its hash.']
            : []),
          'This account must enrol an authenticator app before it can do anything else.',
        ]
        return { json: shown ? { ...made, password } : made, lines }
      })
    })
}

function readEmail(text: string): string {
  if (Value.Check(emailField, text)) return emailOf(text)
  throw invalid('email', {
    en: 'This is not a valid e-mail address.',
    fr: 'Cette adresse e-mail n’est pas valable.',
  })
}

/** One line, without its line end. */
async function readPassword({ input = process.stdin }: CliIo, email: string): Promise<string> {
  const password = (await readAll(input)).replace(/\r?\n$/, '')
  if (!Value.Check(passwordField, password) || password.includes('\n')) {
    throw invalid('password', {
      en: 'Write one line of 12 to 128 characters to standard input.',
      fr: 'Écrivez une ligne de 12 à 128 caractères sur l’entrée standard.',
    })
  }
  requireGoodPassword(password, { kind: 'STAFF', email })
  return password
}

function lineOf(member: StaffMember): string {
  const { email, staff_role, disabled_at, is_demo, totp_enabled, last_login_at } = member
  const states = [
    ...(disabled_at === null ? [] : ['disabled']),
    ...(is_demo ? ['demo'] : []),
    totp_enabled ? 'second factor' : 'no second factor',
  ]
  const seen = `last login ${last_login_at?.toISOString() ?? '-'}`
  return [email, staff_role, states.join(', '), seen].join('  ')
}
