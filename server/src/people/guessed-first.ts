// The passwords that are guessed first, everywhere and here: no list of all that ever leaked, only
// what somebody who tries ten a day would try. Shorter ones are refused for their length already.

export const guessedFirst: ReadonlySet<string> = new Set([
  ...['12345678', '123456789', '1234567890', '0123456789', '12345678910', '87654321', '987654321'],
  ...['11111111', '00000000', '88888888', '12341234', '11223344', '123123123', '123321123'],
  ...['password', 'password1', 'password12', 'password123', 'password1234', 'password!'],
  ...['passw0rd', 'p@ssw0rd', 'p@ssword', 'pa$$word', 'passwort', 'passpass', 'pass1234'],
  ...['motdepasse', 'motdepasse1', 'motdepasse123', 'monmotdepasse', 'azertyuiop', 'azerty123'],
  ...['azerty1234', 'azertyui', 'qwertyuiop', 'qwertyui', 'qwerty123', 'qwerty1234', 'qwertz123'],
  ...['1q2w3e4r', '1q2w3e4r5t', '1qaz2wsx', 'q1w2e3r4', 'zaq12wsx', 'asdfghjkl', 'asdfasdf'],
  ...['abcdefgh', 'abcd1234', 'abc12345', 'a1b2c3d4', 'aaaaaaaa', 'zxcvbnm1'],
  ...['iloveyou', 'iloveyou1', 'jetaime1', 'jetaime123', 'loulou123', 'doudou123', 'chouchou'],
  ...['sunshine', 'princess', 'princesse', 'football', 'baseball', 'superman', 'batman123'],
  ...['welcome1', 'welcome123', 'bienvenue', 'bienvenue1', 'bonjour1', 'bonjour123', 'letmein1'],
  ...['admin123', 'admin1234', 'administrator', 'administrateur', 'changeme', 'changeme1'],
  ...['test1234', 'testtest', 'default1', 'trustno1', 'whatever', 'computer', 'internet'],
  ...['pirogue1', 'pirogue123', 'senegal1', 'senegal123', 'cotedivoire', 'cameroun', 'marseille'],
])
