export const setup = {
  title: 'Connect a model',
  note: 'Until then the built-in demo answers: it follows a few fixed words and calls no model.',
  key: 'Paste a key',
  keyHint: 'Of OpenAI, Anthropic, Google or OpenRouter. It stays on the server.',
  recognised: (name: string): string => `This looks like a key of ${name}.`,
  keyTooShort: 'A key is one line of at least 8 characters.',
  provider: 'Whose key is it?',
  connect: 'Test and go on',
  works: (name: string): string => `${name} works. Choose a model.`,
  choose: 'Choose a model',
  found: (name: string): string => `${name} runs on this machine`,
  use: 'Use it',
  usesNow: (model: string): string => `${model} answers from now on.`,
  noModels: 'It has no model yet: load one there first.',
  others: 'All providers',
  later: 'Not now',
  put: 'The card is put away. Models are set up in Models.',
  saveAnyway: 'Save all the same',
  hello: 'What shall we do?',
  examples: [
    'Show me what is in this folder, and what it is for.', 'Write a short plan for a small web page, then ask me what to change.',
    'What can you do here, and what do you ask me about first?'
  ],
  demoExamples: ['help', 'list', 'write hello.txt: Hello!', 'ask me Which colour? red|green']
}
