import { Type, type Static, type TSchema } from '@sinclair/typebox'

const Text = (description: string) => Type.String({ description })
const Whole = (description: string, fallback?: number) =>
  Type.Integer({ description, minimum: 1, ...(fallback === undefined ? {} : { default: fallback }) })
const Seconds = (description: string, fallback: number) => Type.Number({ description: `${description}; 0: never`, default: fallback })
const Switch = (description: string, fallback: boolean) => Type.Boolean({ description, default: fallback })
const Choice = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description })
const Texts = (description: string) => Type.Union([Type.String(), Type.Array(Type.String())], { description })
const Mapping = <P extends Record<string, TSchema>>(description: string, properties: P) =>
  Type.Partial(Type.Object(properties), { description })
const ByName = <T extends TSchema>(description: string, value: T) => Type.Record(Type.String(), value, { description })

const BaseUrl = (description: string) => Type.String({ description, format: 'uri', pattern: '^\\s*[hH][tT][tT][pP][sS]?://' })
/** An address that may contain `${NAME}`, also instead of its host. */
const FilledUrl = (description: string) => Type.String({ description, pattern: '^\\s*[hH][tT][tT][pP][sS]?://' })
const ApiKey = Type.String({ description: 'the key itself; better kept in .env', writeOnly: true })
const KeyVariable = Type.String({
  description: 'variable of the environment or of .env that holds the key', pattern: '^[A-Za-z_][A-Za-z0-9_]*$'
})
const Window = (description: string) => Type.Number({ description, minimum: 1 })
const ModelWindow = Window('context window in tokens')
const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()])
const SecretScalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()], { writeOnly: true })

const Models = Type.Union([
  Type.Array(Type.Union([
    Type.String(), Mapping('a model', { id: Text('id of the device'), name: Text('its id, where there is no id'), context_length: ModelWindow })
  ])),
  ByName('ids, and what is known of each', Mapping('what is known of the model', { context_length: ModelWindow }))
], { description: 'a list of ids, a list of objects, or a mapping of ids to objects' })

const Provider = Mapping('a provider', {
  base_url: BaseUrl('its address'),
  api_key: ApiKey,
  key_env: KeyVariable,
  name: Text('what people are shown'),
  models: Models
})
const CustomProvider = Type.Object({
  name: Text('what people are shown; in lower case its id'),
  base_url: BaseUrl('its address'),
  api_key: Type.Optional(ApiKey),
  key_env: Type.Optional(KeyVariable),
  models: Type.Optional(Models)
}, { description: 'an OpenAI-compatible server' })

const WantedModel = (description: string) => Mapping(description, {
  provider: Text('id of the provider; auto or absent: whichever has the model'),
  model: Text('id of the model')
})

/** Settings for calls of a model: the profile's default model, or a model for a kind of small task. */
const askedWith = {
  extra_body: Mapping('keys of its requests beside those that the service sets', {}),
  service_tier: Text('service_tier of its requests'),
  timeout: Type.Number({
    description: 'seconds that it may say nothing, and that a small task may take; default: the service\'s own limits', minimum: 1,
    maximum: 3_600
  }),
  max_concurrency: Type.Integer({ description: 'how many of its calls there are at once; the others wait', minimum: 1, maximum: 1_000 }),
  download_timeout: Type.Number({
    description: 'of web_extract: seconds that a page may take to be fetched (default 20); of the others it is kept and does nothing, as nothing is downloaded for them',
    minimum: 1, maximum: 3_600
  })
}
const SlotModel = (description: string) => Mapping(description, {
  provider: Text('id of the provider; auto or absent: whichever has the model'),
  model: Text('id of the model'),
  base_url: BaseUrl('its address, where it is another one than its provider\'s'),
  api_key: ApiKey,
  key_env: KeyVariable,
  ...askedWith
})

const Personality = Mapping('a way to speak', {
  description: Text('what people are shown'),
  system_prompt: Text('instructions for the model'),
  prompt: Text('the same, where there is no system_prompt'),
  tone: Text('one more line for the model'),
  style: Text('one more line for the model')
})

const ToolServer = Mapping('a server of tools: a command, or an address', {
  command: Text('the program that is the server'),
  args: Type.Array(Scalar, { description: 'its arguments' }),
  env: ByName('variables of its environment', SecretScalar),
  cwd: Text('the folder it runs in, as an absolute path; default: the profile\'s home'),
  sandbox: Switch('true: it runs without network and sees cwd alone', false),
  url: FilledUrl('where the server is'),
  headers: ByName('headers of each request', SecretScalar),
  oauth: Mapping('sign-in settings for an address that requires a sign-in, as far as the server does not announce them', {
    client_id: Text('the client, where the server registers none'),
    client_secret: Type.String({
      description: 'its secret, where it has one; better kept in .env and named here as $' + '{NAME}', writeOnly: true
    }),
    scope: Text('what is asked for; default: what the server names'),
    issuer: BaseUrl('who is to sign people in, and nobody else; it may then have a private address')
  }),
  enabled: Switch('false: it is not used', true),
  tools: Type.Union([Type.String(), Type.Array(Type.String()), Mapping('which of them', {
    include: Texts('these and no others'),
    exclude: Texts('all but these'),
    resources: Switch('false: what it has beside its tools is not used', true),
    prompts: Switch('false: its prompts are not used', true)
  })], { description: 'names of its tools that may be used; default: all' }),
  sampling: Switch('true: while a call of it is at work, it may ask the model of the turn; a person is shown each request first', false),
  timeout: Type.Number({ description: 'seconds that a call may take', minimum: 1, maximum: 3_600, default: 120 }),
  connect_timeout: Type.Number({ description: 'seconds until it has to have told its tools', minimum: 1, maximum: 3_600, default: 30 })
})

const Speaker = (description: string) => Mapping(description, {
  api_key: ApiKey, key_env: KeyVariable, base_url: BaseUrl('its address'), model: Text('id of the model'),
  voice: Text('name or id of the voice')
})

const Reached = Type.String({ pattern: '^(?:public|all|none|[^\\s/?#@]+:\\d{1,5})$' })

const agentFields = {
  preset: Choice(
    ['claude-code', 'codex', 'gemini-cli', 'opencode', 'goose'], 'which known agent it is; a name of these in agents says it as well'
  ),
  command: Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String())], {
    description: 'the program with its arguments, as a list; default: as the preset is usually started'
  }),
  env: ByName(
    'variables of its environment beside those that every program gets; ${NAME}: of .env', // eslint-disable-line no-template-curly-in-string -- as it is written in the file
    SecretScalar
  ),
  name: Text('what people are shown'),
  allow_unasked_modes: Type.Union([Type.Boolean(), Type.Array(Type.String())], {
    description: 'modes in which it may work although it is not known to ask before it acts, by their ids; true: any mode, also none; default: no other modes than those in which it is known to ask'
  }),
  isolation: Choice(['auto', 'sandbox', 'none'],
    'sandbox: it runs in the sandbox, or not at all; none: it runs as the user of the service; default (auto): in the sandbox where there is one'),
  network: Type.Union([Type.Boolean(), Reached, Type.Array(Reached)], {
    description: 'what it reaches from the sandbox; public: addresses of the internet; all: what the machine does; none: nothing; host:port: a place on this machine or in a private network; a list: all that is named. Addresses in env and MCP servers are open unless it is none. true: public, false: none',
    default: 'public'
  }),
  writable: Texts('files and folders that it may write in the sandbox beside its workspace and what its preset keeps; ~/ is the home'),
  start_timeout: Type.Number({
    description: 'seconds that it has to say hello, and as many to open a session; more for a slow machine', minimum: 1, maximum: 600, default: 20
  }),
  protocol: Type.Literal(1, { description: 'the newest version of the Agent Client Protocol that it is offered; default: 2, which is a preview' })
}
const Agent = Mapping('an agent of another maker that speaks the Agent Client Protocol', {
  ...agentFields, enabled: Switch('false: it is not offered', true)
})

/**
 * All keys that are read from a profile's config.yaml. The file is checked against this (`config-check.ts`), editors use it for completion
 * (`docs/config.schema.json`), and code that reads a key may take its default from here. Keys that it does not name belong to other
 * programs: they are allowed and kept. Every key may be left out or left empty; "required" marks those without which an entry of a list is
 * useless. Each member of a union takes another kind of value (a text, a list, a mapping), so that the value tells which one is meant.
 * Secrets are marked `writeOnly`.
 */
export const configFile = Type.Partial(Type.Object({
  model: Mapping('which model answers', {
    provider: Text('which provider answers; auto or absent: the first one that is set up'),
    default: Text('id of the model; @provider:model names both'),
    base_url: BaseUrl('with a provider: its address; without: any OpenAI-compatible server'),
    api_key: ApiKey,
    context_length: Window('window of the default model in tokens, where it is unknown or wrong'),
    ...askedWith,
    aliases: ByName('names of your own for models', Type.String())
  }),
  providers: ByName('more providers, or more about the known ones, by id', Provider),
  custom_providers: Type.Array(CustomProvider, { description: 'more providers, as a list' }),
  fallback_providers: Type.Union([Type.String(), WantedModel('a model'), Type.Array(Type.Union([Type.String(), WantedModel('a model')]))], {
    description: 'who goes on when a model gives up, in this order: a provider, @provider:model, or a mapping of both'
  }),
  max_tokens: Whole('how long an answer may be; default: agent.max_tokens, else as long as the model\'s answers may be'),
  agent: Mapping('how the agent works', {
    type: Choice([
      'loop', 'acp'
    ], 'who does the turns: the service with a model (loop), or an agent of another maker with a loop of its own (acp); default: loop'),
    ...agentFields,
    reasoning_effort: Choice([
      'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'
    ], 'how much the model thinks: the nearest level it takes; default: its own'),
    max_tokens: Whole('how long an answer may be, where max_tokens says nothing'),
    on_limit: Choice([
      'wait', 'fall_back', 'ask'
    ], 'what a turn does whose provider is at its limit for longer than a minute: wait until it passes; fall_back: fallback_providers go on, and where none can, it waits; ask: a person decides; default: fall_back with fallback_providers, else wait'),
    personalities: ByName('ways to speak, chosen for a session', Type.Union([Type.String(), Personality]))
  }),
  agents: ByName('more agents of other makers, to be chosen like models', Agent),
  display: Mapping('what clients show', { show_reasoning: Switch('what the model thinks', true) }),
  profile: Mapping('the profile itself', { visible: Switch('false: clients leave it out of what they offer', true) }),
  auxiliary: Mapping('models of small tasks', {
    title_generation: SlotModel('who titles conversations; default: the profile\'s default model'),
    goal_judge: SlotModel('who judges whether a goal is reached; default: the session\'s model'),
    commit_message: SlotModel('who writes commit messages; default: the session\'s model'),
    curator: SlotModel('who tidies documents of the memory; default: the profile\'s default model'),
    compression: SlotModel('who sums up on request; default: the session\'s model'),
    vision: SlotModel('who describes images to a model that cannot see; default: another model of its provider that can'),
    web_extract: SlotModel('who takes from long web pages what matters; default: nobody')
  }),
  approvals: Mapping('what the agent may do', {
    allow: Texts('pattern keys allowed for good; "always" answers are added here'),
    deny: Texts('pattern keys refused for good, also with yolo; * stands for any text'),
    timeout: Seconds('seconds until an unanswered approval expires', 0)
  }),
  clarify: Mapping('questions of the agent', {
    timeout: Seconds('seconds until an unanswered question expires, counted only while a client is connected', 120)
  }),
  terminal: Mapping('commands of the agent', {
    sandbox: Type.Union([Choice(['auto', 'on', 'off', 'none'], 'off, none: commands are never confined, and always ask'), Type.Boolean()], {
      description: 'auto: commands are confined where that works; off: never, and each one asks', default: 'auto'
    }),
    memory_mb: Type.Number({
      description: 'MB that a confined command may use with all it starts; default: half of the machine\'s', exclusiveMinimum: 0
    }),
    processes: Type.Number({ description: 'its processes and threads; default: 4096', exclusiveMinimum: 0 })
  }),
  timezone: Type.String({ description: 'the time zone in which schedules are read, such as Europe/Berlin; default: the machine\'s' }),
  cron: Mapping('jobs that run at times', {
    model: Text('model of jobs that name none; default: the profile\'s'),
    output_retention: Type.Number({ description: 'outputs that are kept of each job; 0: all', default: 50 })
  }),
  goals: Mapping('goals of conversations', { max_turns: Whole('turns a goal may use before it pauses', 20) }),
  compression: Mapping('summaries of long conversations', {
    enabled: Switch('false: the history is summarised only when the model refuses it as too long', true),
    threshold: Type.Number({
      description: 'part of the context window from which on it is summarised', exclusiveMinimum: 0, maximum: 1, default: 0.5
    })
  }),
  memory: Mapping('what the agent remembers', {
    memory_enabled: Switch('MEMORY.md is shown to the model', true),
    user_profile_enabled: Switch('USER.md is shown to the model', true)
  }),
  skills: Mapping('skills of the agent', {
    disabled: Texts('names of those that are off'),
    platform_disabled: Mapping('names of those that are off in one place', { webui: Texts('for this service') }),
    external_dirs: Texts('folders with more of them')
  }),
  mcp: Mapping('tools of MCP servers', {
    max_tools: Type.Number({ description: 'with more of them, tools are found by search', minimum: 1, maximum: 1_000, default: 40 }),
    max_tool_tokens: Type.Number({
      description: 'the same for the tokens of their definitions', minimum: 100, maximum: 1_000_000, default: 10_000
    })
  }),
  mcp_servers: ByName('servers of the Model Context Protocol, by name', ToolServer),
  stt: Mapping('speech to text; default: nobody transcribes', {
    provider: Text('openai, or another provider that is set up and has an OpenAI-compatible interface; not needed beside base_url. local: a model on this machine, in model_dir'),
    model_dir: Text(
      'folder of the model for provider: local, as an absolute path: SenseVoice, Paraformer, Whisper or a streaming Zipformer, as sherpa-onnx has them'
    ),
    base_url: BaseUrl('address of an OpenAI-compatible server'),
    api_key: ApiKey,
    key_env: KeyVariable,
    model: Type.String({ description: 'id of the model', default: 'whisper-1' }),
    audio: Choice(
      ['any', 'wav'], 'wav: the server takes nothing else; recordings of other formats are decoded by ffmpeg, where that is installed'
    ),
    language: Type.String({
      description: 'the language that is mostly spoken, such as en; default: the model finds out',
      pattern: '^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]+)*$'
    })
  }),
  tts: Mapping('text to speech', {
    provider: Text(
      'who speaks where a client names nobody: openai, elevenlabs, or local: a model on this machine, in model_dir; default: espeak-ng on this machine'
    ),
    model_dir: Text(
      'folder of the model for provider: local, as an absolute path: VITS or Piper, Kokoro or Matcha, as sherpa-onnx has them'
    ),
    online: Switch('true: what espeak-ng would say is said by an online voice of Microsoft\'s first; the texts leave this machine', false),
    model: Text('id of the model, where the section of the provider names none'),
    voice: Text(
      'name or id of the voice, where the section of the provider names none; of a local model the number of the speaker, from 0'
    ),
    openai: Speaker('OpenAI, or a server that speaks its interface'),
    elevenlabs: Speaker('ElevenLabs')
  }),
  outgoing: Mapping('how connections leave this machine; of the default profile', {
    proxy: Type.String({
      description: 'the proxy, such as http://proxy.example.org:3128, https://… or socks5://…, with user:password@ where it wants a login; direct: none, whatever the environment says; default: HTTPS_PROXY, HTTP_PROXY and ALL_PROXY',
      pattern: '^\\s*(?:[dD][iI][rR][eE][cC][tT]|(?:(?:[hH][tT][tT][pP][sS]?|[sS][oO][cC][kK][sS]5[hH]?)://)?[^\\s/]+/?)\\s*$',
      writeOnly: true
    }),
    no_proxy: Texts('hosts that are reached without it: names with all below them, addresses, networks such as 10.0.0.0/8, each also with a port; *: all. Default: NO_PROXY')
  }),
  audit: Mapping('the audit log; of the default profile', {
    keep_days: Type.Integer({ description: 'days that entries are kept', minimum: 30, maximum: 36_500, default: 365 }),
    webhook: BaseUrl('address that each entry is sent to')
  }),
  forges: ByName('servers with pull requests, by host (with its port, where that is not the usual one); github.com, gitlab.com and codeberg.org need no entry', Mapping('a forge', {
    type: Choice(['github', 'gitlab', 'gitea'], 'the type of its interface; gitea also stands for Forgejo'),
    url: BaseUrl('where its interface is; default: https:// and the host, with /api/v3 (GitHub Enterprise), /api/v4 or /api/v1'),
    token_env: KeyVariable
  })),
  webui_passkey_enabled: Switch('passkeys, where SVC_WEBUI_PASSKEY says nothing; of the default profile, read at start', false),
  offline_demo: Mapping('the built-in demo', {
    words_per_second: Type.Number({ description: 'its pace; 0: at once', minimum: 0, default: 60 })
  })
}), { title: 'config.yaml', description: 'Settings of a profile. Keys that are not described here are kept and have no effect.' })

/** The keywords of JSON Schema that the declaration uses. */
export interface Keywords {
  [keyword: string]: unknown
  type?: string
  anyOf?: TSchema[]
  enum?: string[]
  properties?: Record<string, TSchema>
  patternProperties?: Record<string, TSchema>
  required?: string[]
  items?: TSchema
  pattern?: string
  format?: string
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
}

/** The content of config.yaml after the check: the valid part of the known keys, and all unknown keys unchanged. */
export type ConfigFile = Static<typeof configFile> & Readonly<Record<string, unknown>>

/**
 * Returns the declaration as the text of a JSON Schema for editors: the content of `docs/config.schema.json`, and the answer of
 * `GET /api/config/schema`. As in the check, keys may be empty, which YAML calls null.
 */
export function configSchemaText (): string {
  return `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...withNull(configFile), type: 'object' }, null, 2)}\n`
}

function withNull (schema: TSchema): object {
  const { anyOf, type, enum: values, properties, patternProperties, items, ...rest }: Keywords = schema
  const [ofAny] = Object.values(patternProperties ?? {})
  const each = (schemas: Record<string, TSchema>) =>
    Object.fromEntries(Object.entries(schemas).map(([key, value]) => [key, withNull(value)]))
  return {
    ...rest,
    ...(anyOf !== undefined && { anyOf: anyOf.map(withNull) }),
    ...(type !== undefined && { type: [type, 'null'] }),
    ...(values !== undefined && { enum: [...values, null] }),
    ...(properties !== undefined && { properties: each(properties) }),
    ...(ofAny !== undefined && { additionalProperties: withNull(ofAny) }),
    ...(items !== undefined && { items: withNull(items) })
  }
}
