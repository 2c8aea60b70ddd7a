// Keys of known services, recognised by their prefix. Keys that could be words of a text must contain a digit. The list was compared with
// the rules of gitleaks (https://github.com/gitleaks/gitleaks), see test/ground/redaction/redaction-rules.test.ts.

const digit = (reach: number): string => `(?=[\\w-]{0,${reach}}\\d)`
const end = '(?!\\w)'
const hex = '[a-fA-F0-9]'

export const knownKeys = [
  // This service (services/areas/auth/device-tokens.ts).
  'svct_[A-Za-z0-9]{12}_[A-Za-z0-9]{40}',
  // Models.
  `sk-${digit(60)}(?:ant-|proj-|or-v1-|svcacct-)?[\\w-]{16,}`, 'hf_[A-Za-z0-9]{20,}', 'api_org_[A-Za-z0-9]{20,}', 'gsk_[A-Za-z0-9]{20,}',
  'xai-[A-Za-z0-9]{20,}', 'pplx-[A-Za-z0-9]{20,}', 'nvapi-[\\w-]{20,}', 'r8_[A-Za-z0-9]{20,}',
  // Code and packages.
  'gh[opsur]_[A-Za-z0-9]{20,}', 'github_pat_\\w{20,}', 'gl(?:pat|ptt|dt|rt|cbt|ffct|ft|imt|agent|oas|soat)-[\\w.-]{16,}',
  `GR1348941${digit(30)}[\\w-]{20,}`, 'ATATT3[\\w=-]{20,}',
  'npm_[A-Za-z0-9]{30,}', 'pypi-[\\w-]{30,}', 'rubygems_[a-f0-9]{40,}', 'dckr_pat_[\\w-]{20,}', `CLOJARS_[A-Za-z0-9]{60}${end}`,
  `AKCp[A-Za-z0-9]{60,}${end}`, `cmVmd[A-Za-z0-9]{59}${end}`,
  'sgp_[\\w]{40,}', 'sntry[us]_[\\w+/=]{40,}', `ico-[a-zA-Z0-9]{32}${end}`, `pul-[a-f0-9]{40}${end}`, 'rdme_[a-z0-9]{60,}',
  'lin_api_[A-Za-z0-9]{20,}', 'ntn_[A-Za-z0-9]{40,}', `PMAK-${hex}{24}-${hex}{34}`,
  `API-[A-Z0-9]{26}${end}`, '(?<=[A-Za-z0-9]{14}\\.)atlasv1\\.[\\w=-]{50,}',
  `(?:pat|sat)\\.[\\w-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}${end}`, `pnu_[A-Za-z0-9]{36}${end}`, 'sm_[aps]at_[A-Za-z0-9]{16,}',
  'tfp_[\\w.=-]{40,}',
  // Money.
  '[sr]k_(?:live|test|prod)_\\w{10,}', 'whsec_[\\w+/=]{16,}', 'sq0(?:atp|csp)-[\\w-]{20,}', `EAAA${digit(50)}[\\w-]{40,}`,
  `shp(?:at|ca|pa|ss)_${hex}{32}${end}`, 'duffel_(?:test|live)_[\\w=-]{40,}', `EZ[AT]K[A-Za-z0-9]{54}${end}`,
  'FLW(?:SECK|PUBK)(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?', `shippo_(?:live|test)_${hex}{40}`,
  `access-(?:sandbox|development|production)-${hex}{8}-[a-f0-9-]{27}`,
  // Messages.
  'xox[abeoprs][-.][\\w.-]{10,}', 'xapp-\\d-[\\w-]{10,}', 'SG\\.[\\w-]{16,}\\.[\\w-]{16,}', `xkeysib-${hex}{40,}-[A-Za-z0-9]{16}`,
  `key-[a-f0-9]{32}${end}`, `SK[a-f0-9]{32}${end}`, `\\d{8,12}:AA[\\w-]{33}${end}`,
  'EAA[MC][A-Za-z0-9]{100,}', `\\d{15,16}\\|[\\w-]{27}${end}`,
  // Clouds and hosting.
  `(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}${end}`, 'AIza[\\w-]{30,}', 'ya29\\.[\\w-]{20,}', 'GOCSPX-[\\w-]{20,}',
  `1\\/\\/0${digit(60)}[\\w-]{20,}`, `LTAI[A-Za-z0-9]{20}${end}`, '(?<=[\\w~.]{3}\\d)Q~[\\w~.-]{31,34}',
  `do[opr]_v1_[a-f0-9]{40,}${end}`, 'HRKU-AA[\\w-]{50,}', `tk-us-${digit(60)}[\\w-]{48}`, 'fo1_[\\w-]{43}',
  'fm[12][ar]?_[A-Za-z0-9+/]{100,}={0,3}', 'v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}', `dapi[a-f0-9]{32}(?:-\\d)?${end}`,
  'pscale_(?:tkn|oauth|pw)_[\\w=.-]{30,}', `4b1d[A-Za-z0-9]{38}${end}`, `sha256~[\\w-]{43}${end}`,
  'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.-]{40,}', 'hv[bsr]\\.[\\w-]{20,}',
  `s\\.(?=[A-Za-z]{0,23}\\d)(?=[a-z\\d]{0,23}[A-Z])[A-Za-z0-9]{24}${end}`,
  'AQVN[\\w-]{35,38}', 't1\\.[\\w-]{2,20}={0,2}\\.[\\w-]{86}={0,2}', `YC[A-Za-z0-9_-]{38}${end}`, 'tskey-[a-z]{2,10}-[\\w-]{10,}',
  'dnkey-[\\w=-]{26}-[\\w=-]{52}', '(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[\\w+/=-]{30,}',
  // Monitoring.
  'glsa_\\w{20,}', 'glc_[A-Za-z0-9+/]{32,}={0,3}', 'eyJrIjoi[A-Za-z0-9]{60,}={0,3}', 'NR(?:JS|AK|II)-[A-Za-z0-9-]{19,}',
  'dt0c01\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}',
  // Vaults and identities.
  `A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5}){3,4}${end}`, 'ops_eyJ[A-Za-z0-9+/]{60,}={0,3}', 'AGE-SECRET-KEY-1[A-Z0-9]{50,}(?!\\w)',
  `p8e-[a-zA-Z0-9]{32}${end}`, `s-s4t2(?:ud|af)-${hex}{64}`, 'fio-u-[\\w=-]{64}',
  `ZXlK${digit(60)}[A-Za-z0-9+/_-]{60,}={0,2}`, '_gitlab_session=[0-9a-z]{32}', `S[ACNOUX][A-Z2-7]{56}${end}`
]

/** Prefixes that nothing else has: if a text ends or was cut after one of them, a few characters are enough. */
export const cutKeys = [
  'svct_', 'sk-(?:proj|ant|or-v1|svcacct|admin)-', 'gh[opsur]_', 'github_pat_', 'gl(?:pat|ptt|dt|rt)-', 'xox[abeoprs]-', 'A(?:KIA|SIA|Iza)',
  'hf_', 'npm_', 'pypi-', 'gsk_', 'xai-', '[sr]k_live_', 'whsec_', 'do[opr]_v1_', 'ya29\\.', 'GOCSPX-', 'shp(?:at|ca|pa|ss)_', 'hvs\\.'
]

/** Beginnings of addresses in which the rest is a secret. */
export const wholeAddresses = [
  'hooks\\.slack\\.com\\/(?:services|workflows|triggers)\\/', 'discord(?:app)?\\.com\\/api\\/webhooks\\/\\d{5,25}\\/',
  'webhook\\.office\\.com\\/webhookb2\\/', 'api\\.telegram\\.org\\/(?:file\\/)?bot\\d{5,16}:'
]
