export const setup = {
  title: 'Connect a model',
  note: 'Until then the built-in demo answers. It follows fixed rules and is no AI model.',
  key: 'Paste a key',
  keyHint: 'OpenAI, Anthropic, Google or OpenRouter. It stays on this server.',
  recognised: (name: string): string => `A key of ${name}. It stays on this server.`,
  keyTooShort: 'A key is one line of at least 8 characters.',
  provider: 'Whose key is it?',
  choose: 'Choose…',
  noProvider: 'Choose whose key it is.',
  asEndpoint: (name: string): string => `This looks like a key of ${name}. Add ${name} as an endpoint in Models.`,
  connect: 'Check the key',
  saveAnyway: 'Save anyway',
  getKey: 'No key yet? Get one from',
  opensPage: (name: string): string => `Get a key from ${name} (opens its site)`,
  refused: {
    invalid_key: (name: string): string => `${name} refused this key. Copy it again, all of it, or make a new one there.`,
    no_quota: (name: string): string => `${name} knows this key, but its account has no credit left. Top it up there, or use another key.`,
    rate_limited: (name: string): string => `${name} accepts no more requests at the moment. Try again in a minute.`,
    tls: (name: string): string => `The connection to ${name} is not secure, so the key was not sent. Check the certificates of this server.`,
    name_not_found: (name: string): string => `This server cannot find ${name}. Check its internet connection.`,
    no_answer: (name: string): string => `${name} did not answer. Check the internet connection of this server, then try again.`,
    provider_failed: (name: string): string => `${name} has a problem. Try again later.`
  },
  connected: (name: string): string => `${name} is connected.`,
  answersNow: (model: string): string => `${model} answers from now on.`,
  greet: 'Say hello',
  greetNote: (name: string): string => `Sends one short message to ${name}.`,
  greeting: 'Hello! Say in three short sentences who you are and what you can do for me here.',
  another: 'Choose another model',
  found: (name: string): string => `${name} runs on this machine`,
  model: 'Model',
  noModels: 'It has no models yet. Load one there first.',
  agentFound: (name: string): string => `${name} is installed on this machine`,
  agentNote: 'It works in its own way and asks you first.',
  agentFailed: {
    invalid_key: (name: string): string => `${name} is not signed in. Sign in to it in a terminal on this machine, then try again.`,
    no_quota: (name: string): string => `The account of ${name} has no credit left. Top it up, then try again.`,
    timed_out: (name: string): string => `${name} did not start in time. It may still be downloading what it needs. Try again.`,
    other: (name: string): string => `${name} is not ready. Start it in a terminal on this machine to see why.`
  },
  use: 'Use it',
  others: 'All providers',
  later: 'Later',
  put: 'Later. It’s in Models.',
  tour: 'Try it without a model',
  tourNote: 'The demo follows scripts. The tools, the cards and the files are real.',
  tourMore: 'The demo can show you more',
  tourTurns: [
    'Show me a change I approve', 'Show me a question', 'Show me a long answer with a table and code', 'Show me a task every morning'
  ],
  examplesName: 'Examples',
  examples: [
    'Show me what is in this folder, and what it is for.', 'Write a short plan for a small web page, then ask me what to change.',
    'What can you do here, and what do you ask me about first?'
  ]
}
