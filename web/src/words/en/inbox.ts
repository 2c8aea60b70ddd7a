export const inbox = {
  keys: <Key>(down: Key, up: Key): Array<Key | string> => ['Go through them with ', down, ' and ', up, '.'],
  empty: 'Nothing waits for you',
  emptyText: 'When the agent needs your permission or has a question, in whichever chat, it stands here until you answer.',
  example: 'Let the agent ask me something',
  exampleMessage: 'ask me Tea or coffee? tea | coffee'
}
