export const setup = {
  title: 'Connect a model',
  note: 'Until then, the built-in demo answers. It understands a few fixed commands and calls no model.',
  key: 'Paste a key',
  keyHint: 'From OpenAI, Anthropic, Google or OpenRouter. It stays on the server.',
  recognised: (name: string): string => `This looks like a key of ${name}.`,
  keyTooShort: 'A key is one line of at least 8 characters.',
  provider: 'Provider of the key',
  connect: 'Test and continue',
  works: (name: string): string => `${name} works. Choose a model.`,
  choose: 'Choose a model',
  found: (name: string): string => `${name} runs on this machine`,
  use: 'Use it',
  usesNow: (model: string): string => `${model} answers from now on.`,
  noModels: 'It has no models yet. Load one there first.',
  others: 'All providers',
  later: 'Not now',
  put: 'Card dismissed. You can connect a model in Models.',
  saveAnyway: 'Save anyway',
  hello: 'What would you like to do?',
  examples: [
    'Show me what is in this folder, and what it is for.', 'Write a short plan for a small web page, then ask me what to change.',
    'What can you do here, and what do you ask me about first?'
  ],
  demoExamples: ['help', 'list', 'write hello.txt: Hello!', 'ask me Which colour? red|green']
}
