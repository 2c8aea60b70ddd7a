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
    Type.String(), Mapping('a model', { id: Text('its id'), name: Text('its id, if id is absent'), context_length: ModelWindow })
  ])),
  ByName('ids, with details of each', Mapping('details of the model', { context_length: ModelWindow }))
], { description: 'a list of ids, a list of objects, or a mapping of ids to objects' })

const Provider = Mapping('a provider', {
  base_url: BaseUrl('its address'),
  api_key: ApiKey,
  key_env: KeyVariable,
  name: Text('display name'),
  models: Models
})
const CustomProvider = Type.Object({
  name: Text('display name; its id is the name in lower case'),
  base_url: BaseUrl('its address'),
  api_key: Type.Optional(ApiKey),
  key_env: Type.Optional(KeyVariable),
  models: Type.Optional(Models)
}, { description: 'an OpenAI-compatible server' })

const WantedModel = (description: string) => Mapping(description, {
  provider: Text('id of the provider; auto or absent: any provider that has the model'),
  model: Text('id of the model')
})

/** Settings for calls of a model: the profile's default model, or a model for a kind of small task. */
const callSettings = {
  extra_body: Mapping('additional keys of its requests', {}),
  service_tier: Text('service_tier of its requests'),
  timeout: Type.Number({
    description: 'seconds without output after which a call fails, and time limit of a small task; default: the limits of the service', minimum: 1,
    maximum: 3_600
  }),
  max_concurrency: Type.Integer({ description: 'how many calls may run at once; others wait', minimum: 1, maximum: 1_000 }),
  download_timeout: Type.Number({
    description: 'web_extract: seconds that fetching a page may take (default: 20); no effect on other tasks, which download nothing',
    minimum: 1, maximum: 3_600
  })
}
const SlotModel = (description: string) => Mapping(description, {
  provider: Text('id of the provider; auto or absent: any provider that has the model'),
  model: Text('id of the model'),
  base_url: BaseUrl('its address, if it differs from that of the provider'),
  api_key: ApiKey,
  key_env: KeyVariable,
  ...callSettings
})

const Personality = Mapping('a personality', {
  description: Text('description that clients show'),
  system_prompt: Text('instructions for the model'),
  prompt: Text('instructions for the model, if system_prompt is absent'),
  tone: Text('an additional line for the model'),
  style: Text('an additional line for the model')
})

const ToolServer = Mapping('an MCP server: a command, or an address', {
  command: Text('the program to run'),
  args: Type.Array(Scalar, { description: 'its arguments' }),
  env: ByName('environment variables of the program', SecretScalar),
  cwd: Text('working directory, as an absolute path; default: the home of the profile'),
  sandbox: Switch('true: it runs without network access, and has access only to cwd', false),
  url: FilledUrl('address of the server'),
  headers: ByName('headers of each request', SecretScalar),
  oauth: Mapping('sign-in settings for an address that requires a sign-in, as far as the server does not announce them', {
    client_id: Text('client id, if the server does not register clients itself'),
    client_secret: Type.String({
      description: 'its secret, where it has one; better kept in .env and named here as $' + '{NAME}', writeOnly: true
    }),
    scope: Text('requested scope; default: the scope that the server names'),
    issuer: BaseUrl('the only authorization server that may sign people in; if set, its address may be private')
  }),
  enabled: Switch('false: the server is not used', true),
  tools: Type.Union([Type.String(), Type.Array(Type.String()), Mapping('which tools may be used', {
    include: Texts('only these tools'),
    exclude: Texts('all tools except these'),
    resources: Switch('false: its resources are not used', true),
    prompts: Switch('false: its prompts are not used', true)
  })], { description: 'tools that may be used; default: all' }),
  sampling: Switch('true: the server may send requests to the model of the turn during its calls; a person approves each one first', false),
  timeout: Type.Number({ description: 'time limit of a call in seconds', minimum: 1, maximum: 3_600, default: 120 }),
  connect_timeout: Type.Number({ description: 'time limit in seconds for starting and listing its tools', minimum: 1, maximum: 3_600, default: 30 })
})

const Speaker = (description: string) => Mapping(description, {
  api_key: ApiKey, key_env: KeyVariable, base_url: BaseUrl('its address'), model: Text('id of the model'),
  voice: Text('name or id of the voice')
})

const Reached = Type.String({ pattern: '^(?:public|all|none|[^\\s/?#@]+:\\d{1,5})$' })

const agentFields = {
  preset: Choice(
    ['claude-code', 'codex', 'gemini-cli', 'opencode', 'goose'],
    'the known agent to use; an entry of agents with such a name needs no preset'
  ),
  command: Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String())], {
    description: 'the program and its arguments; default: the usual command of the preset'
  }),
  env: ByName(
    'environment variables in addition to those that every program gets; ${NAME} stands for a variable of .env', // eslint-disable-line no-template-curly-in-string -- as it is written in the file
    SecretScalar
  ),
  name: Text('display name'),
  allow_unasked_modes: Type.Union([Type.Boolean(), Type.Array(Type.String())], {
    description: 'ids of modes in which the agent may work although it is not known to ask before it acts; true: any mode, or without ' +
      'one; default: only modes in which it is known to ask'
  }),
  isolation: Choice(['auto', 'sandbox', 'none'],
    'sandbox: it runs in the sandbox or not at all; none: it runs as the user of the service; auto (default): in the ' +
    'sandbox if the machine has one'),
  network: Type.Union([Type.Boolean(), Reached, Type.Array(Reached)], {
    description: 'network access from the sandbox. public: internet addresses; all: everything that the machine reaches; none: nothing; ' +
      'host:port: a server on this machine or in a private network; a list: all of its entries. Addresses in env and MCP servers are ' +
      'open unless it is none. true means public, false means none',
    default: 'public'
  }),
  writable: Texts(
    'files and folders that it may write from the sandbox, in addition to its ' +
    'workspace and the files of its preset; ~/ stands for the home'
  ),
  start_timeout: Type.Number({
    description: 'time limit in seconds for its start, and again for opening a session; raise it on a slow machine', minimum: 1, maximum: 600, default: 20
  }),
  protocol: Type.Literal(1, { description: 'the newest version of the Agent Client Protocol to offer; default: 2, which is a preview' })
}
const Agent = Mapping('an external agent that speaks the Agent Client Protocol', {
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
  model: Mapping('the default model', {
    provider: Text('id of the provider; auto or absent: the first one that is set up'),
    default: Text('id of the model; @provider:model names both'),
    base_url: BaseUrl('address of the provider; without provider: of any OpenAI-compatible server'),
    api_key: ApiKey,
    context_length: Window('context window of the default model in tokens, if it is unknown or wrong'),
    ...callSettings,
    aliases: ByName('your own names for models', Type.String())
  }),
  providers: ByName('additional providers, or settings of known ones, by id', Provider),
  custom_providers: Type.Array(CustomProvider, { description: 'additional providers, as a list' }),
  fallback_providers: Type.Union([Type.String(), WantedModel('a model'), Type.Array(Type.Union([Type.String(), WantedModel('a model')]))], {
    description: 'models that take over, in this order, when the default model fails: a provider, @provider:model, or a mapping of both'
  }),
  max_tokens: Whole('largest length of an answer in tokens; default: agent.max_tokens, else the limit of the model'),
  agent: Mapping('the agent', {
    type: Choice([
      'loop', 'acp'
    ], 'what runs turns. loop (default): the service with a model; acp: an external agent'),
    ...agentFields,
    reasoning_effort: Choice([
      'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'
    ], 'reasoning effort, changed to the nearest level that the model supports; default: that of the model'),
    max_tokens: Whole('largest length of an answer in tokens, if max_tokens is absent'),
    on_limit: Choice([
      'wait', 'fall_back', 'ask'
    ], 'what a turn does when the limit of its provider lasts longer than a minute. wait: it waits until the limit passes; fall_back: a ' +
      'model of fallback_providers takes over, and if none can, it waits; ask: a person decides; default: fall_back with ' +
      'fallback_providers, else wait'),
    personalities: ByName('personalities that can be chosen for a session, by name', Type.Union([Type.String(), Personality]))
  }),
  agents: ByName('additional external agents that can be chosen like models, by id', Agent),
  display: Mapping('what clients show', { show_reasoning: Switch('true: reasoning of the model is shown', true) }),
  profile: Mapping('the profile itself', { visible: Switch('false: clients do not list the profile', true) }),
  auxiliary: Mapping('models for small tasks', {
    title_generation: SlotModel('titles of sessions; default: the default model of the profile'),
    goal_judge: SlotModel('deciding whether a goal is reached; default: the model of the session'),
    commit_message: SlotModel('commit messages; default: the model of the session'),
    curator: SlotModel('tidying memory documents; default: the default model of the profile'),
    compression: SlotModel('summaries on request; default: the model of the session'),
    vision: SlotModel('describing images for a model without vision; default: another model of its provider with vision'),
    web_extract: SlotModel('extracts of long web pages; default: no extracts')
  }),
  approvals: Mapping('permissions of the agent', {
    allow: Texts('pattern keys that are always allowed; answers "always" are added here'),
    deny: Texts('pattern keys that are always refused, even with yolo; * stands for any text'),
    timeout: Seconds('seconds until an unanswered approval expires', 0)
  }),
  clarify: Mapping('questions of the agent', {
    timeout: Seconds('seconds until an unanswered question expires, counted only while a client is connected', 120)
  }),
  terminal: Mapping('commands of the agent', {
    sandbox: Type.Union([Choice(['auto', 'on', 'off', 'none'], 'off or none: commands are never confined, and each one asks'), Type.Boolean()], {
      description: 'auto, on or true: commands run in the sandbox if the machine has one; off, none or false: never, and each one asks',
      default: 'auto'
    }),
    memory_mb: Type.Number({
      description: 'memory limit of a confined command and its child processes in MB; default: half of the memory of the machine', exclusiveMinimum: 0
    }),
    processes: Type.Number({ description: 'limit of processes and threads of a confined command; default: 4096', exclusiveMinimum: 0 })
  }),
  timezone: Type.String({ description: 'time zone of schedules, such as Europe/Berlin; default: that of the machine' }),
  cron: Mapping('scheduled jobs', {
    model: Text('model of jobs that do not name one; default: that of the profile'),
    output_retention: Type.Number({ description: 'number of outputs to keep for each job; 0: all', default: 50 })
  }),
  goals: Mapping('goals of sessions', { max_turns: Whole('number of turns after which a goal pauses', 20) }),
  compression: Mapping('summaries of long sessions', {
    enabled: Switch('false: a session is only summarised when the model refuses it as too long', true),
    threshold: Type.Number({
      description: 'fraction of the context window at which a session is summarised', exclusiveMinimum: 0, maximum: 1, default: 0.5
    })
  }),
  memory: Mapping('memory of the agent', {
    memory_enabled: Switch('true: MEMORY.md is shown to the model', true),
    user_profile_enabled: Switch('true: USER.md is shown to the model', true)
  }),
  skills: Mapping('skills of the agent', {
    disabled: Texts('names of skills that are switched off'),
    platform_disabled: Mapping('names of skills that are switched off in one place', { webui: Texts('in this service') }),
    external_dirs: Texts('additional folders with skills')
  }),
  mcp: Mapping('tools of MCP servers', {
    max_tools: Type.Number({ description: 'number of tools above which the model finds tools by search', minimum: 1, maximum: 1_000, default: 40 }),
    max_tool_tokens: Type.Number({
      description: 'tokens of tool definitions above which the model finds tools by search', minimum: 100, maximum: 1_000_000, default: 10_000
    })
  }),
  mcp_servers: ByName('servers of the Model Context Protocol, by name', ToolServer),
  stt: Mapping('speech to text; default: off', {
    provider: Text(
      'openai, or another configured provider with an OpenAI-compatible interface; not ' +
      'needed with base_url. local: a model on this machine, in model_dir'
    ),
    model_dir: Text(
      'folder of the model for provider: local, as an absolute path: SenseVoice, Paraformer, Whisper or a streaming Zipformer, as sherpa-onnx has them'
    ),
    base_url: BaseUrl('address of an OpenAI-compatible server'),
    api_key: ApiKey,
    key_env: KeyVariable,
    model: Type.String({ description: 'id of the model', default: 'whisper-1' }),
    audio: Choice(
      ['any', 'wav'], 'wav: the server accepts only WAV; recordings in other formats are converted with ffmpeg, if it is installed'
    ),
    language: Type.String({
      description: 'usual language of recordings, such as en; default: detected by the model',
      pattern: '^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]+)*$'
    })
  }),
  tts: Mapping('text to speech', {
    provider: Text(
      'engine that speaks if a client does not choose one: openai, elevenlabs, or local (a model on this machine, in model_dir); ' +
      'default: espeak-ng on this machine'
    ),
    model_dir: Text(
      'folder of the model for provider: local, as an absolute path: VITS or Piper, Kokoro or Matcha, as sherpa-onnx has them'
    ),
    online: Switch('true: an online voice of Microsoft is tried before espeak-ng; the texts leave this machine', false),
    model: Text('id of the model, if the section of the provider has none'),
    voice: Text(
      'name or id of the voice, if the section of the provider has none; for a local model, the number of the speaker, counted from 0'
    ),
    openai: Speaker('OpenAI, or a server with its interface'),
    elevenlabs: Speaker('ElevenLabs')
  }),
  outgoing: Mapping('outgoing connections; only read from the default profile', {
    proxy: Type.String({
      description: 'the proxy, such as http://proxy.example.org:3128, https://… or socks5://…, with user:password@ if it needs a ' +
        'sign-in; direct: no proxy, whatever the environment says; default: HTTPS_PROXY, HTTP_PROXY and ALL_PROXY',
      pattern: '^\\s*(?:[dD][iI][rR][eE][cC][tT]|(?:(?:[hH][tT][tT][pP][sS]?|[sS][oO][cC][kK][sS]5[hH]?)://)?[^\\s/]+/?)\\s*$',
      writeOnly: true
    }),
    no_proxy: Texts(
      'hosts that are reached without the proxy: names, including their subdomains, addresses, or networks such as 10.0.0.0/8, ' +
      'optionally with a port; *: all. Default: NO_PROXY'
    )
  }),
  audit: Mapping('the audit log; only read from the default profile', {
    keep_days: Type.Integer({ description: 'number of days to keep entries', minimum: 30, maximum: 36_500, default: 365 }),
    webhook: BaseUrl('address to which each entry is sent')
  }),
  forges: ByName('servers with pull requests, by host (with the port, if it is not the default one); github.com, gitlab.com, codeberg.org and gitea.com need no entry', Mapping('a forge', {
    type: Choice(['github', 'gitlab', 'gitea'], 'type of its interface; gitea also stands for Forgejo'),
    url: BaseUrl('base URL of its interface; default: https:// and the host, with /api/v3 (GitHub Enterprise), /api/v4 or /api/v1'),
    token_env: KeyVariable
  })),
  webui_passkey_enabled: Switch(
    'true: passkeys are on, if SVC_WEBUI_PASSKEY is not set; only read from the default profile, at the start', false
  ),
  offline_demo: Mapping('the built-in demo', {
    words_per_second: Type.Number({ description: 'speed of its answers; 0: all at once', minimum: 0, default: 60 })
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
