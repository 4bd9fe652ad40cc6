// The passwords that are guessed first: some 18,000 of those that leaked most often everywhere (the
// list of zxcvbn-ts, MIT), and what is guessed here, where keyboards and words are French. Shorter
// ones are refused for their length already.

import { dictionary } from '@zxcvbn-ts/language-common'

/** The least that `passwordField` takes. */
const least = 8

const guessedHere = [
  ...['0123456789', '12345678910', '88888888', '12341234', '11223344', '123321123'],
  ...['password12', 'password1234', 'password!', 'pa$$word', 'pass1234'],
  ...['motdepasse', 'motdepasse1', 'motdepasse123', 'monmotdepasse', 'azertyuiop', 'azerty123'],
  ...['azerty1234', 'azertyui', 'qwerty1234', 'qwertz123', 'q1w2e3r4', 'zxcvbnm1'],
  ...['iloveyou1', 'jetaime1', 'jetaime123', 'loulou123', 'doudou123', 'chouchou', 'batman123'],
  ...['welcome123', 'bienvenue', 'bienvenue1', 'bonjour1', 'bonjour123', 'letmein1'],
  ...['admin1234', 'administrator', 'administrateur', 'changeme', 'changeme1', 'test1234'],
  ...['default1', 'pirogue1', 'pirogue123', 'senegal1', 'senegal123', 'cotedivoire', 'cameroun'],
  ...['bonjourbonjour', 'passwordpassword', 'motdepassemotdepasse', 'marseille'],
]

/** Lower case, without spaces around, as `emailOf` writes a text. */
export const guessedFirst: ReadonlySet<string> = new Set(
  [...dictionary['passwords-common'], ...guessedHere].filter((each) => each.length >= least),
)
