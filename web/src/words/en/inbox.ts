export const inbox = {
  keys: <Key>(down: Key, up: Key): Array<Key | string> => ['Move between them with ', down, ' and ', up, '.'],
  limits: 'At a limit',
  empty: 'Nothing is waiting for you',
  emptyText: 'When the agent needs your approval or has a question in any chat, it appears here until you answer.',
  example: 'Let the agent ask me something',
  exampleMessage: 'ask me Tea or coffee? tea | coffee'
}
