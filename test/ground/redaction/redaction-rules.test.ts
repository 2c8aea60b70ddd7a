import t from '#test'
import { RegExpParser } from '@eslint-community/regexpp'
import { mask, redact } from '../../../services/ground/redaction/index.js'
import { rules } from '../../../services/ground/redaction/rules.js'

// The rules of gitleaks (config/gitleaks.toml, as of 2025) describe what is found in leaked repositories. There is one example of our own
// for each of them; those without one, and the reason, are listed below.

/** Returns characters in an order that does not repeat, and is the same in every run. */
function made (alphabet: string, length: number): string {
  let state = 7
  return Array.from({ length }, () => {
    state = state * 48_271 % 2_147_483_647
    return alphabet[(state >> 8) % alphabet.length]
  }).join('')
}
const digits = '0123456789'
const small = 'abcdefghijklmnopqrstuvwxyz'
const large = small.toUpperCase()
const alnum = (length: number): string => made(digits + large + small, length)
const lower = (length: number): string => made(digits + small, length)
const upper = (length: number): string => made(digits + large, length)
const hex = (length: number): string => made('0123456789abcdef', length)
const number = (length: number): string => made(digits, length)
const uuid = [8, 4, 4, 4, 12].map(hex).join('-')

/** Recognised by their form, wherever they are. */
const byLook: Record<string, string> = {
  '1password-secret-key': `A3-${upper(6)}-${upper(11)}-${upper(5)}-${upper(5)}-${upper(5)}`,
  '1password-service-account-token': `ops_eyJ${alnum(260)}=`,
  'adobe-client-secret': `p8e-${lower(32)}`,
  'age-secret-key': `AGE-SECRET-KEY-1${made('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}`,
  'alibaba-access-key-id': `LTAI${lower(20)}`,
  'anthropic-admin-api-key': `sk-ant-admin01-${alnum(93)}AA`,
  'anthropic-api-key': `sk-ant-api03-${alnum(93)}AA`,
  'artifactory-api-key': `AKCp${alnum(69)}`,
  'artifactory-reference-token': `cmVmd${alnum(59)}`,
  'atlassian-api-token': `ATATT3${alnum(186)}`,
  'authress-service-client-access-key': `sc_${lower(12)}.${lower(5)}.acc-${lower(14)}.${alnum(60)}`,
  'aws-access-token': `ABIA${made('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`,
  'azure-ad-client-secret': `secret=${'ab'}c8Q~${alnum(33)}`,
  'clickhouse-cloud-api-secret-key': `4b1d${alnum(38)}`,
  'clojars-api-token': `CLOJARS_${lower(60)}`,
  'cloudflare-origin-ca-key': `v1.0-${hex(24)}-${hex(146)}`,
  'curl-auth-header': `curl -s -H "X-Token: ${alnum(24)}" https://a.example`,
  'curl-auth-user': `curl -u ada:${alnum(14)} https://a.example`,
  'databricks-api-token': `dapi${hex(32)}-2`,
  'defined-networking-api-token': `dnkey-${lower(26)}-${lower(52)}`,
  'digitalocean-access-token': `doo_v1_${hex(64)}`,
  'digitalocean-pat': `dop_v1_${hex(64)}`,
  'digitalocean-refresh-token': `dor_v1_${hex(64)}`,
  'doppler-api-token': `dp.pt.${lower(43)}`,
  'duffel-api-token': `duffel_live_${lower(43)}`,
  'dynatrace-api-token': `dt0c01.${upper(24)}.${upper(64)}`,
  'easypost-api-token': `EZAK${alnum(54)}`,
  'easypost-test-api-token': `EZTK${alnum(54)}`,
  'facebook-access-token': `${number(16)}|${alnum(27)}`,
  'facebook-page-access-token': `EAAM${alnum(120)}`,
  'flutterwave-encryption-key': `FLWSECK_TEST-${hex(12)}`,
  'flutterwave-public-key': `FLWPUBK_TEST-${hex(32)}-X`,
  'flutterwave-secret-key': `FLWSECK_TEST-${hex(32)}-X`,
  'flyio-access-token': `fm2_${alnum(120)}=`,
  'frameio-api-token': `fio-u-${lower(64)}`,
  'gcp-api-key': `AIza${alnum(35)}`,
  'github-app-token': `ghu_${alnum(36)}`,
  'github-fine-grained-pat': `github_pat_${alnum(82)}`,
  'github-oauth': `gho_${alnum(36)}`,
  'github-pat': `ghp_${alnum(36)}`,
  'github-refresh-token': `ghr_${alnum(36)}`,
  'gitlab-cicd-job-token': `glcbt-64_${alnum(20)}`,
  'gitlab-deploy-token': `gldt-${alnum(20)}`,
  'gitlab-feature-flag-client-token': `glffct-${alnum(20)}`,
  'gitlab-feed-token': `glft-${alnum(20)}`,
  'gitlab-incoming-mail-token': `glimt-${alnum(25)}`,
  'gitlab-kubernetes-agent-token': `glagent-${alnum(50)}`,
  'gitlab-oauth-app-secret': `gloas-${alnum(64)}`,
  'gitlab-pat': `glpat-${alnum(20)}`,
  'gitlab-pat-routable': `glpat-${alnum(40)}.01${lower(7)}`,
  'gitlab-ptt': `glptt-${hex(40)}`,
  'gitlab-rrt': `GR1348941${alnum(20)}`,
  'gitlab-runner-authentication-token': `glrt-${alnum(20)}`,
  'gitlab-runner-authentication-token-routable': `glrt-t1_${alnum(30)}.01${lower(7)}`,
  'gitlab-scim-token': `glsoat-${alnum(20)}`,
  'gitlab-session-cookie': `_gitlab_session=${lower(32)}`,
  'grafana-api-key': `eyJrIjoi${alnum(80)}`,
  'grafana-cloud-api-token': `glc_${alnum(60)}=`,
  'grafana-service-account-token': `glsa_${alnum(32)}_${hex(8)}`,
  'harness-api-key': `pat.${alnum(22)}.${alnum(24)}.${alnum(20)}`,
  'hashicorp-tf-api-token': `${alnum(14)}.atlasv1.${lower(64)}`,
  'heroku-api-key-v2': `HRKU-AA${alnum(58)}`,
  'huggingface-access-token': `hf_${made(small + large, 34)}`,
  'huggingface-organization-api-token': `api_org_${made(small + large, 34)}`,
  'infracost-api-token': `ico-${alnum(32)}`,
  'intra42-client-secret': `s-s4t2ud-${hex(64)}`,
  jwt: `eyJ${alnum(20)}.eyJ${alnum(30)}.${alnum(43)}`,
  'jwt-base64': `ZXlKaGJHY2lPaU${alnum(80)}`,
  'linear-api-key': `lin_api_${lower(40)}`,
  'microsoft-teams-webhook': `https://acme.webhook.office.com/webhookb2/${uuid}@${uuid}/IncomingWebhook/${hex(32)}/${uuid}`,
  'new-relic-browser-api-token': `NRJS-${hex(19)}`,
  'new-relic-insert-key': `NRII-${lower(32)}`,
  'new-relic-user-api-key': `NRAK-${upper(27)}`,
  'notion-api-token': `ntn_${number(11)}${alnum(35)}`,
  'npm-access-token': `npm_${alnum(36)}`,
  'nuget-config-password': `<add key="ClearTextPassword" value="${alnum(24)}" />`,
  'octopus-deploy-api-key': `API-${upper(26)}`,
  'openai-api-key': `sk-proj-${alnum(74)}T3BlbkFJ${alnum(74)}`,
  'openshift-user-token': `sha256~${alnum(43)}`,
  'perplexity-api-key': `pplx-${alnum(48)}`,
  'plaid-api-token': `access-production-${uuid}`,
  'planetscale-api-token': `pscale_tkn_${alnum(43)}`,
  'planetscale-oauth-token': `pscale_oauth_${alnum(43)}`,
  'planetscale-password': `pscale_pw_${alnum(43)}`,
  'postman-api-token': `PMAK-${hex(24)}-${hex(34)}`,
  'prefect-api-token': `pnu_${alnum(36)}`,
  'private-key': `-----BEGIN PRIVATE KEY-----\n${alnum(64)}\n${alnum(64)}\n-----END PRIVATE KEY-----`,
  'pulumi-api-token': `pul-${hex(40)}`,
  'pypi-upload-token': `pypi-AgEIcHlwaS5vcmc${alnum(60)}`,
  'readme-api-token': `rdme_${lower(70)}`,
  'rubygems-api-token': `rubygems_${hex(48)}`,
  'scalingo-api-token': `tk-us-${alnum(48)}`,
  'sendgrid-api-token': `SG.${alnum(22)}.${alnum(43)}`,
  'sendinblue-api-token': `xkeysib-${hex(64)}-${alnum(16)}`,
  'sentry-org-token': `sntrys_eyJpYXQiO${alnum(60)}LCJyZWdpb25fdXJs${alnum(30)}=_${alnum(43)}`,
  'sentry-user-token': `sntryu_${hex(64)}`,
  'settlemint-application-access-token': `sm_aat_${alnum(16)}`,
  'settlemint-personal-access-token': `sm_pat_${alnum(16)}`,
  'settlemint-service-access-token': `sm_sat_${alnum(16)}`,
  'shippo-api-token': `shippo_live_${hex(40)}`,
  'shopify-access-token': `shpat_${hex(32)}`,
  'shopify-custom-access-token': `shpca_${hex(32)}`,
  'shopify-private-app-access-token': `shppa_${hex(32)}`,
  'shopify-shared-secret': `shpss_${hex(32)}`,
  'sidekiq-sensitive-url': `https://ada:${hex(16)}@gems.contribsys.com/`,
  'slack-app-token': `xapp-1-${upper(11)}-${number(13)}-${hex(64)}`,
  'slack-bot-token': `xoxb-${number(12)}-${number(12)}-${alnum(24)}`,
  'slack-config-access-token': `xoxe.xoxp-1-${upper(164)}`,
  'slack-config-refresh-token': `xoxe-1-${upper(146)}`,
  'slack-legacy-bot-token': `xoxb-${number(12)}-${alnum(24)}`,
  'slack-legacy-token': `xoxs-${number(10)}-${number(10)}-${number(10)}-${hex(32)}`,
  'slack-legacy-workspace-token': `xoxa-2-${alnum(40)}`,
  'slack-user-token': `xoxp-${number(12)}-${number(12)}-${number(12)}-${hex(32)}`,
  'slack-webhook-url': `https://hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${alnum(24)}`,
  'sourcegraph-access-token': `sgp_${hex(16)}_${hex(40)}`,
  'square-access-token': `EAAA${alnum(60)}`,
  'stripe-access-token': `rk_prod_${alnum(30)}`,
  'telegram-bot-api-token': `${number(10)}:AA${alnum(33)}`,
  'twilio-api-key': `SK${hex(32)}`,
  'typeform-api-token': `tfp_${lower(59)}`,
  'vault-batch-token': `hvb.${alnum(140)}`,
  'vault-service-token': `hvs.${alnum(95)}`,
  'yandex-access-token': `t1.${alnum(12)}.${alnum(86)}`,
  'yandex-api-key': `AQVN${alnum(36)}`,
  'yandex-aws-access-token': `YC${alnum(38)}`
}

/** Only letters and digits: recognised by the name that they are stored under. */
const byName: Record<string, [name: string, value: string]> = {
  'adafruit-api-key': ['ADAFRUIT_IO_KEY', lower(32)], 'airtable-api-key': ['airtable_api_key', lower(17)], 'algolia-api-key': ['ALGOLIA_API_KEY', lower(32)], 'alibaba-secret-key': ['alibaba_secret_key', lower(30)],
  'asana-client-secret': ['ASANA_CLIENT_SECRET', lower(32)], 'beamer-api-token': ['beamer_token', `b_${lower(44)}`], 'bitbucket-client-secret': ['BITBUCKET_CLIENT_SECRET', lower(64)], 'bittrex-access-key': ['bittrex_access_key', lower(32)],
  'bittrex-secret-key': ['BITTREX_SECRET_KEY', lower(32)], 'cisco-meraki-api-key': ['MERAKI_API_KEY', hex(40)], 'cloudflare-api-key': ['CLOUDFLARE_API_TOKEN', lower(40)], 'cloudflare-global-api-key': ['cloudflare_api_key', hex(37)],
  'codecov-access-token': ['CODECOV_TOKEN', lower(32)], 'cohere-api-token': ['CO_API_KEY', alnum(40)], 'coinbase-access-token': ['coinbase_access_token', lower(64)], 'confluent-access-token': ['CONFLUENT_ACCESS_TOKEN', lower(16)],
  'confluent-secret-key': ['confluent_secret_key', lower(64)], 'contentful-delivery-api-token': ['CONTENTFUL_TOKEN', lower(43)], 'database-password': ['db_password', 'Tr0ub4dor'], 'datadog-access-token': ['DD_API_KEY', lower(40)],
  'discord-api-token': ['discord_token', hex(64)], 'discord-client-secret': ['DISCORD_CLIENT_SECRET', lower(32)], 'droneci-access-token': ['DRONECI_TOKEN', lower(32)], 'dropbox-api-token': ['dropbox_secret', lower(15)],
  'dropbox-long-lived-api-token': ['DROPBOX_TOKEN', `${lower(11)}AAAAAAAAAA${lower(43)}`], 'dropbox-short-lived-api-token': ['dropbox_access_token', `sl.${lower(135)}`], 'etsy-access-token': ['ETSY_ACCESS_TOKEN', lower(24)], 'facebook-secret': ['FACEBOOK_APP_SECRET', hex(32)],
  'fastly-api-token': ['FASTLY_API_KEY', lower(32)], 'finicity-api-token': ['finicity_token', hex(32)], 'finicity-client-secret': ['FINICITY_CLIENT_SECRET', lower(20)], 'finnhub-access-token': ['finnhub_api_key', lower(20)],
  'flickr-access-token': ['FLICKR_TOKEN', lower(32)], 'freemius-secret-key': ['secret_key', `sk_${alnum(29)}`], 'freshbooks-access-token': ['freshbooks_access_token', lower(64)], 'generic-api-key': ['service_api_key', alnum(40)],
  'gitter-access-token': ['GITTER_TOKEN', lower(40)], 'gocardless-api-token': ['gocardless_access_token', `live_${lower(40)}`], 'hashicorp-tf-password': ['administrator_login_password', alnum(14)], 'heroku-api-key': ['HEROKU_API_KEY', uuid],
  'hubspot-api-key': ['HUBSPOT_API_KEY', uuid.toUpperCase()], 'intercom-api-key': ['intercom_api_key', lower(60)], 'jfrog-api-key': ['JFROG_API_KEY', lower(73)], 'jfrog-identity-token': ['artifactory_token', lower(64)], 'kraken-access-token': ['KRAKEN_API_SECRET', alnum(84)],
  'kucoin-access-token': ['kucoin_access_token', hex(24)], 'kucoin-secret-key': ['KUCOIN_SECRET_KEY', uuid], 'launchdarkly-access-token': ['launchdarkly_token', lower(40)], 'linear-client-secret': ['LINEAR_CLIENT_SECRET', hex(32)],
  'linkedin-client-secret': ['linkedin_client_secret', lower(16)], 'lob-api-key': ['LOB_API_KEY', `live_${hex(35)}`], 'mailchimp-api-key': ['MAILCHIMP_API_KEY', `${hex(32)}-us12`], 'mailgun-private-api-token': ['mailgun_token', `key-${hex(32)}`], 'mailgun-signing-key': ['MAILGUN_SIGNING_KEY', `${hex(32)}-${hex(8)}-${hex(8)}`],
  'mapbox-api-token': ['MAPBOX_TOKEN', `pk.${lower(60)}.${lower(22)}`], 'mattermost-access-token': ['mattermost_token', lower(26)], 'maxmind-license-key': ['MAXMIND_LICENSE_KEY', `${alnum(6)}_${alnum(29)}_mmk`], 'messagebird-api-token': ['MESSAGEBIRD_API_KEY', lower(25)],
  'netlify-access-token': ['NETLIFY_AUTH_TOKEN', lower(43)], 'nytimes-access-token': ['nytimes_api_key', lower(32)], 'okta-access-token': ['OKTA_API_TOKEN', `00${alnum(40)}`], 'plaid-secret-key': ['PLAID_SECRET', lower(30)], 'privateai-api-token': ['privateai_api_key', lower(32)],
  'rapidapi-access-token': ['RAPIDAPI_KEY_SECRET', lower(50)], 'sendbird-access-token': ['SENDBIRD_TOKEN', hex(40)], 'sentry-access-token': ['sentry_auth_token', hex(64)], 'snyk-api-token': ['SNYK_TOKEN', uuid], 'sonar-api-token': ['sonar_token', lower(40)],
  'squarespace-access-token': ['SQUARESPACE_TOKEN', uuid], 'sumologic-access-token': ['SUMO_ACCESS_KEY', lower(64)], 'travisci-access-token': ['travis_token', lower(22)], 'twitch-api-token': ['TWITCH_TOKEN', lower(30)], 'twitter-access-secret': ['TWITTER_ACCESS_SECRET', lower(45)],
  'twitter-access-token': ['twitter_access_token', `${number(19)}-${alnum(30)}`], 'twitter-api-key': ['TWITTER_API_KEY', lower(25)], 'twitter-api-secret': ['twitter_api_secret', lower(50)], 'twitter-bearer-token': ['TWITTER_BEARER_TOKEN', `${'A'.repeat(22)}${alnum(90)}`], 'zendesk-secret-key': ['ZENDESK_SECRET_KEY', lower(40)]
}

/** Rules without a counterpart here, and the reason. */
const left: Record<string, string> = {
  'adobe-client-id': 'an identifier', 'asana-client-id': 'an identifier', 'bitbucket-client-id': 'an identifier', 'discord-client-id': 'an identifier', 'linkedin-client-id': 'an identifier', 'messagebird-client-id': 'an identifier',
  'plaid-client-id': 'an identifier', 'sendbird-access-id': 'an identifier', 'sumologic-access-id': 'an identifier', 'new-relic-user-api-id': 'an identifier', 'lob-pub-api-key': 'is meant to be published', 'mailgun-pub-key': 'is meant to be published',
  'kubernetes-secret-yaml': 'any name may stand above the value, over several lines: a document and not a text would have to be read', 'pkcs12-file': 'a kind of file, not of text', 'sidekiq-secret': 'sixteen hexadecimal digits under the name of a host'
}

t.test('of every rule of a kept collection there is an example, or a reason', async (t) => {
  const ids = [...Object.keys(byLook), ...Object.keys(byName), ...Object.keys(left)]
  t.equal(new Set(ids).size, ids.length, 'each stands in one place')
  t.equal(ids.length, 218)
})

/** Returns the longest part without punctuation, of which nothing may remain. */
const core = (example: string): string => example.split(/[^A-Za-z\d]+/).sort((a, b) => b.length - a.length)[0]!

t.test('what is known by its looks, in a sentence, a program, JSON and a command', async (t) => {
  for (const [id, example] of Object.entries(byLook)) {
    for (const text of [`It is ${example}`, `const x = '${example}'`, JSON.stringify({ note: `see ${example} there` }), `run ${example}\nand go on`, `(${example})`]) {
      const shown = redact(text)
      t.ok(shown.includes(mask) && !shown.includes(core(example)), `${id}: ${shown.slice(0, 90)}`)
    }
  }
})

t.test('what is known by its name, in settings, programs, JSON and YAML', async (t) => {
  for (const [id, [name, value]] of Object.entries(byName)) {
    for (const text of [`${name}=${value}`, `export ${name}="${value}"`, `${name}: ${value}`, JSON.stringify({ [name]: value }), `const ${name} = '${value}'`, `config["${name}"] = "${value}"`]) {
      const shown = redact(text)
      t.ok(shown.includes(mask) && !shown.includes(core(value)), `${id}: ${shown.slice(0, 90)}`)
    }
  }
})

t.test('what a rule needs is in every match: a sequence that its pattern has once, outside of any choice', async (t) => {
  const needy = rules.flatMap(({ before, needs }) => needs === undefined ? [] : [{ before, needs }])
  t.ok(needy.length > 0)
  const elements = (source: string): string[] => {
    const { alternatives } = new RegExpParser().parsePattern(source)
    t.equal(alternatives.length, 1, source)
    return (alternatives[0]?.elements ?? []).map(({ raw }) => raw)
  }
  for (const { before, needs } of needy) {
    const [all, needed] = [elements(before), elements(needs)]
    t.ok(all.some((_, at) => needed.every((raw, index) => raw === all[at + index])), needs)
  }
})
