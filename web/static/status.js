/* global sessionStorage */
import { get, post, signIn } from './api.js'
import { byId, el } from './dom.js'

const demoId = 'offline-demo'
const keyNames = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY']

/**
 * The line in the header: whether the service runs and which model answers; and how to set up one when there is none.
 * @returns {{ refresh: () => Promise<void>, connection: (isConnected: boolean) => void }}
 */
export function createStatus () {
  const line = byId('status')
  let last = { look: '', words: '' }
  let isConnected = true

  function show (look, words) {
    last = { look, words }
    draw()
  }

  function draw () {
    const { look, words } = isConnected ? last : { look: 'lost', words: 'Not connected – trying again' }
    line.className = look
    if (line.lastElementChild.textContent !== words) line.lastElementChild.textContent = words
  }

  async function refresh () {
    try {
      const [health, settings, profile] = await Promise.all([get('/health'), get('/api/settings'), get('/api/profile/active')])
      byId('sign-out').hidden = !settings.password_auth_enabled
      const models = await get('/api/models')
      const { look, words, problem } = describe(health, settings, models)
      show(look, words)
      drawSetup(models.active_provider === demoId ? 'demo' : problem, profile.path)
    } catch (error) {
      show('lost', error.message)
    }
  }

  byId('sign-out').addEventListener('click', async () => {
    await post('/api/auth/logout').catch(() => {})
    sessionStorage.clear()
    signIn()
  })

  return {
    refresh,
    connection (connected) {
      const isBack = connected && !isConnected
      isConnected = connected
      draw()
      // It may have been restarted, with other settings.
      if (isBack) refresh()
    }
  }
}

/** Green when a model is ready; amber when only the demo answers, or the provider does not. */
function describe (health, settings, models) {
  const group = models.groups.find(({ provider_id: id }) => id === models.active_provider)
  if (health.status !== 'ok') return { look: 'wanting', words: 'The service is not well' }
  if (group === undefined) return { look: 'wanting', words: 'No model', problem: 'No model provider is configured.' }
  if (group.provider_id === demoId) return { look: 'wanting', words: 'Running · built-in demo' }
  const id = models.default_model ?? settings.default_model
  const model = [...group.models, ...(group.extra_models ?? [])].find((one) => one.id === id)
  const name = model?.label ?? id ?? 'no model'
  const provider = group.provider.replace(/ \(\d+ of \d+\)$/, '')
  const problem = group.models_endpoint_error
  return { look: problem === undefined ? 'fine' : 'wanting', words: `Running · ${name} · ${provider}`, problem }
}

function drawSetup (problem, home) {
  const notice = byId('setup')
  notice.hidden = problem === undefined
  byId('welcome-demo').hidden = problem !== 'demo'
  byId('welcome-model').hidden = problem === 'demo'
  if (problem === undefined) return
  const names = keyNames.flatMap((name, index) => [index === 0 ? '' : index === keyNames.length - 1 ? ' or ' : ', ', el('code', {}, name)])
  notice.replaceChildren(
    el('p', {}, problem === 'demo' ? 'No AI model yet – the built-in demo answers by fixed rules.' : problem),
    el('details', {},
      el('summary', {}, 'How to add a model'),
      el('ol', {},
        el('li', {}, 'Get a key from a model provider. Its name here is ', ...names, '.'),
        el('li', {}, 'Put it into the environment of the service, or as a line such as ', el('code', {}, `${keyNames[0]}=…`), ' into the file ', el('code', {}, `${home}/.env`), '.'),
        el('li', {}, 'Restart the service, then reload this page.')),
      el('p', {}, 'A model server on this machine, such as Ollama, is found without a key.')))
}
