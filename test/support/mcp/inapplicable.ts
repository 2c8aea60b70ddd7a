import { type Inapplicable } from './conformance.js'

const ownTool = 'the suite calls a tool of its own; the service has its own tools and no others'
const noPrompts = 'the service offers no prompts'
const noResources = 'the service offers no resources'

const ofTools = [
  'tools-call-simple-text', 'tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource', 'tools-call-mixed-content', 'tools-call-error',
  'tools-call-with-progress'
]
const ofPrompts = ['prompts-list', 'prompts-get-simple', 'prompts-get-with-args', 'prompts-get-embedded-resource', 'prompts-get-with-image']
const ofResources = ['resources-list', 'resources-read-text', 'resources-read-binary', 'resources-templates-read']
const because = (reason: string, scenarios: string[]): Inapplicable => Object.fromEntries(scenarios.map((scenario) => [scenario, reason]))

/** What the suite asks of a server and does not apply, by the revision of the protocol. */
export const server: Record<string, Inapplicable> = {
  '2025-11-25': {
    ...because(ownTool, [
      ...ofTools, 'tools-call-with-logging', 'tools-call-sampling', 'tools-call-elicitation', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums'
    ]),
    ...because(noPrompts, ofPrompts),
    ...because(noResources, [...ofResources, 'resources-subscribe', 'resources-unsubscribe']),
    ...because('the service has no log for clients', ['logging-set-level']),
    ...because('nothing that the service offers has arguments to complete', ['completion-complete']),
    ...because('the service keeps no sessions, so nothing is told between two messages', ['server-sse-multiple-streams'])
  },
  '2026-07-28': {
    ...because(ownTool, [
      ...ofTools, 'input-required-result-basic-elicitation', 'input-required-result-basic-sampling', 'input-required-result-basic-list-roots',
      'input-required-result-request-state', 'input-required-result-multiple-input-requests', 'input-required-result-multi-round',
      'input-required-result-missing-input-response', 'input-required-result-result-type', 'input-required-result-tampered-state',
      'input-required-result-capability-check', 'input-required-result-ignore-extra-params'
    ]),
    ...because(noPrompts, [...ofPrompts, 'input-required-result-non-tool-request']),
    ...because(noResources, [...ofResources, 'sep-2164-resource-not-found']),
    ...because('nothing that the service offers has arguments to complete', ['completion-complete']),
    ...because(noPrompts, ['caching:sep-2549-prompts-list-caching-hints']),
    ...because(noResources, ['caching:sep-2549-resources-list-caching-hints', 'caching:sep-2549-resources-templates-list-caching-hints']),
    ...because(ownTool, [
      'server-stateless:sep-2575-server-rejects-undeclared-capability', 'server-stateless:sep-2575-missing-capability-http-400',
      'server-stateless:sep-2575-http-server-no-independent-requests-on-stream', 'server-stateless:sep-2575-server-no-log-without-loglevel',
      'server-stateless:sep-2575-server-sends-tools-list-changed-on-subscription'
    ])
  }
}
const notPublic = 'a service on this machine has no public https address, so it registers itself'
const stepsUpByHand = 'a person signs in, so a refusal for want of a scope begins no sign-in: the operator sets oauth.scope, and signs in anew'

/** The same for clients. */
export const client: Record<string, Inapplicable> = {
  '2025-11-25': {
    'auth/basic-cimd:cimd-client-id-used': notPublic,
    'auth/scope-step-up:scope-step-up-escalation': stepsUpByHand
  },
  '2026-07-28': {
    'auth/basic-cimd:cimd-client-id-used': notPublic,
    'auth/scope-step-up:scope-step-up-escalation': stepsUpByHand,
    'auth/scope-step-up:sep-2350-scope-union-on-reauth': stepsUpByHand,
    'auth/authorization-server-migration:sep-2352-reregister-on-as-change':
      'what is reached over http is used only where the operator has named it, and then no other is',
    'http-custom-headers:sep-2243-client-omit-null': 'arguments that do not fit the description of a tool are not sent'
  }
}
