import { type Words } from '../en/index.js'
import { spansIn } from '../spans.js'

const spans = spansIn('zh')
const long = (seconds: string | number): string => spans(seconds).replace(/(?<=\d)(?=\p{Script=Han})/u, ' ')

export const diagnostics: Words['diagnostics'] = {
  note: '检查服务、它所在的机器，以及从本设备到服务的连接。不会更改任何内容。',
  again: '重新检查',
  checking: '正在检查…',
  thorough: '彻底检查',
  thoroughNote: '彻底检查还会向每个提供商的一个模型请求一个词（可能产生少量费用），并启动外部智能体。',
  copyReport: '复制报告',
  reportCopied: '报告已复制。',
  statuses: { ok: '正常', warning: '警告', error: '问题', skipped: '未检查' },
  summary: (errors, warnings) => errors + warnings === 0
    ? '没有发现问题。'
    : `${[errors > 0 ? `${errors} 个问题` : '', warnings > 0 ? `${warnings} 个警告` : ''].filter(Boolean).join('，')}。`,
  checks: {
    program: '版本', memory: '内存', 'open-files': '打开的文件', log: '日志', updates: '更新', backups: '备份', 'state-folder': '状态文件夹', disk: '可用空间',
    database: '数据库', access: '地址与登录', address: '端口', sandbox: '命令的沙箱', git: 'Git', ripgrep: '在文件中搜索', agents: '其他智能体', schedules: '定时任务',
    configuration: 'config.yaml', providers: '模型提供商', mcp: 'MCP 服务器', machines: '其他机器', push: '通知', proxy: '到互联网的连接', traces: '追踪',
    clock: '时钟'
  },
  parts: {
    program: '程序', author: '作者', 'default workspace': '默认文件夹', logins: '登录凭据', 'state folder': '状态文件夹',
    backups: '备份', 'temporary files': '临时文件'
  },
  found: {
    sandbox_off: [
      '沙箱已关闭：智能体的每条命令都以服务的用户身份运行，并需要你批准。',
      '从环境变量中删除 SVC_WEBUI_SANDBOX，或从 config.yaml 中删除 terminal.sandbox。'
    ],
    sandbox_missing: [
      '没有安装 bubblewrap（bwrap），因此智能体的每条命令都需要你批准。',
      '安装 bubblewrap：'
    ],
    git_missing: [
      '没有安装 git，由功能较少的内置 git 代替。',
      '安装 git：'
    ],
    git_author_missing: [
      '提交没有作者，未指定作者的仓库会拒绝提交。',
      '以服务的用户身份运行：'
    ],
    backup_to_come: [
      '还没有备份。服务启动几分钟后会自动做第一次备份。',
      '现在备份：'
    ],
    backups_off: [
      '没有备份，也不会自动备份。',
      '现在备份：'
    ],
    provider_missing: [
      '没有设置模型提供商，因此由演示来回答。',
      '在“模型”中填写提供商的密钥，或模型服务器的地址。'
    ],
    sign_in_missing: [
      '无需登录：任何能访问此地址的人都可以使用服务。',
      '在“设置 → 登录”中设置密码，或在服务的环境变量中设置：'
    ],
    sign_in_missing_proxy: [
      '已配置反向代理，但无需登录：任何能访问代理的人都可以使用服务。',
      '在“设置 → 登录”中设置密码，或在服务的环境变量中设置：'
    ],
    traffic_open: [
      '其他机器以未加密的方式访问服务：密码和对话可能在途中被读取。',
      '在前面放一个带 TLS 的反向代理，并填写它的地址（docs/reverse-proxy.md）：'
    ],
    state_folder_ok: ['状态文件夹可以写入，且只有其所有者可以读取。'],
    state_folder_missing: ({ path }) => [`状态文件夹 ${path} 尚不存在。`, '启动一次服务，它会创建该文件夹。'],
    runs_as_root: ({ owner }) => [`服务以 root 身份运行，而它的文件属于用户 ${owner}。`, '请以该用户身份运行：root 可以做任何事。'],
    link_broken: ({ path, target }) => [`${path} 是指向 ${target} 的符号链接，但目标不存在。`, '挂载或恢复它指向的文件夹，或删除该链接。'],
    owner_differs: ({ path, owner, user }) => [`${path} 属于用户 ${owner}，而服务以用户 ${user} 的身份运行。`, '把它交给服务的用户：'],
    open_to_all: ({ path }) => [`这台机器的所有用户都能打开 ${path}。`, '以服务的用户身份：'],
    open_to_group: ({ path }) => [`同组用户可以打开 ${path}。`, '以服务的用户身份：'],
    disk_full: ({ path }) => [`无法写入 ${path}：磁盘已满。`, '在该磁盘上腾出空间：'],
    disk_read_only: ({ path, code }) => [`无法写入 ${path}（${code}）。`, '以可写方式挂载该磁盘：'],
    not_writable: ({ path, code }) => [`无法写入 ${path}（${code}）。`, '让服务的用户可以写入：'],
    not_openable: ({ path }) => [`服务无权打开 ${path}。`, '把它交给服务的用户：'],
    not_openable_own: ({ path }) => [`服务无权打开 ${path}。`, '以服务的用户身份：'],
    clock_right: ['时钟与互联网上的服务器一致。'],
    clock_unasked: ['没有服务器可以核对时间。启动以来时钟没有被调慢。'],
    clock_ahead: ({ seconds }) => [`时钟快了 ${long(seconds)}。`, '请同步时钟：'],
    clock_behind: ({ seconds }) => [`时钟慢了 ${long(seconds)}。`, '请同步时钟：'],
    clock_far_ahead: ({ seconds }) => [`时钟快了 ${long(seconds)}。登录、Webhook 和 TLS 证书会失败。`, '请同步时钟：'],
    clock_far_behind: ({ seconds }) => [`时钟慢了 ${long(seconds)}。登录、Webhook 和 TLS 证书会失败。`, '请同步时钟：'],
    clock_set_back: ({ seconds }) => [`服务启动以来，时钟被调慢了 ${long(seconds)}。`, '请同步时钟：'],
    clock_before_write: ({ seconds }) => [`时钟慢了：数据库的写入时间比时钟显示的晚 ${long(seconds)}。`, '请同步时钟：'],
    disk_room: ({ free }) => [`剩余 ${free}。`],
    disk_low: ({ free }) => [`剩余空间不多：${free}。`, '请腾出或增加空间。该磁盘上最大的文件夹：'],
    disk_almost_full: ({ free }) => [`磁盘几乎已满：只剩 ${free}。`, '请腾出或增加空间。该磁盘上最大的文件夹：'],
    disk_backup_room: ({ free, needed }) => [`没有空间存放备份：剩余 ${free}，需要 ${needed}。`, '请腾出或增加空间。该磁盘上最大的文件夹：'],
    disk_few_files: ({ count }) => [`磁盘只能再存放 ${count} 个文件。`, '请删除不需要的小文件。文件最多的文件夹：'],
    memory_use: ({ used, limit }) => [`这台机器已使用 ${used}，共 ${limit}。`, '请结束占用大量内存的程序：'],
    memory_use_group: ({ used, limit }) => [`已使用 ${used}，控制组的上限是 ${limit}。`, '请在 systemd 单元或 docker-compose.yml 中提高上限：'],
    open_files: ({ open, limit }) => [`已打开 ${open} 个文件和连接，最多 ${limit} 个。`, '请在 systemd 单元、docker-compose.yml 或启动服务的 shell 中提高上限：'],
    git_ready: ({ version }) => [`已安装 git ${version}。`],
    git_author: ['提交有作者。'],
    git_workspace: ['git 可在默认文件夹中使用。'],
    git_workspace_plain: ['默认文件夹不是 git 仓库。'],
    git_workspace_missing: ['默认文件夹还不存在。'],
    git_workspace_owner: ['git 拒绝使用默认文件夹，因为它属于其他用户。', '以服务的用户身份执行：'],
    git_logins: ['git 有凭据助手。'],
    git_no_logins: ['git 没有凭据助手：SSH 密钥可用，需要通过 https 登录的仓库不可用。', '如果需要这类登录，以服务的用户身份执行：'],
    push_works: ({ count, messages }) => [`开启通知的浏览器：${count}。发送中的消息：${messages}。`],
    push_none: ['没有浏览器开启通知。'],
    push_no_keys: ['Web Push 的密钥尚未能保存。', '请让数据库可写，然后重启服务。'],
    updates_off: ['检查更新已关闭。'],
    updates_unchecked: ['还没有检查过更新。', '请在“设置”→“关于”中检查更新。'],
    updates_current: ['上次检查时，这是最新版本。'],
    log_written: ['日志的每一行都已写入。'],
    machines_off: ['其他机器无法加入：未设置 SVC_NATS_URL。'],
    nats_connected: ['已连接 NATS 服务器。'],
    machine_connected: ['已连接。'],
    machine_version: ({ version, own }) => [`以版本 ${version} 连接；服务的版本是 ${own}。`, '请更新到服务的版本。'],
    machine_away: ({ seconds }) => [`已离线 ${long(seconds)}。`, '请在那台机器上启动程序：'],
    sandbox_works: ({ version }) => [`命令在 bubblewrap ${version} 沙箱中运行成功。`],
    sandbox_unfiltered: ({ version }) => [`命令在 bubblewrap ${version} 沙箱中运行成功，但没有系统调用过滤。`],
    sandbox_container: ['容器就是边界：命令在其中运行，没有触及服务的文件、内存和调试器。'],
    backup_nothing: ['还没有需要备份的内容。'],
    backup_age: ({ seconds }) => [`最新的备份是 ${long(seconds)} 前的。`],
    backup_late: ({ seconds, hours }) => [`最新的备份是 ${long(seconds)} 前的，应每 ${long(Number(hours) * 3_600)} 备份一次。`, '立即备份：'],
    backup_by_hand: ({ seconds }) => [`最新的备份是 ${long(seconds)} 前的；不会自动备份。`, '要每天备份，请在服务的环境中设置：'],
    provider_agents: ['没有设置模型提供商；由其他智能体回答。'],
    mcp_none: ['没有设置 MCP 服务器。'],
    mcp_ready: ({ count }) => [`正在运行。工具：${count}。`],
    mcp_idle: ['调用其工具时启动。'],
    mcp_off: ['已关闭。'],
    mcp_sign_in: ['需要登录。', '请在“设置”→“MCP 服务器”中登录。'],
    agents_none: ['这台机器上没有找到其他智能体。'],
    configuration_fine: ['config.yaml 没有问题。'],
    internet_direct: ['连接直接从这台机器发出。'],
    ripgrep_works: ({ version }) => [`ripgrep ${version} 可用。`],
    database_intact: ({ size, version, log }) => [`数据库完好：${size}，版本 ${version}，日志 ${log}。`],
    database_checking: ({ size }) => [`启动后的检查尚未结束（${size}）。`, '请过几分钟再检查。'],
    database_in_memory: ['数据库在内存中。'],
    program_version: ({ own, version }) => [`版本 ${own}，运行于 Node.js ${version}。`],
    program_node_old: ({ version, needed }) => [`Node.js ${version} 太旧：需要 ${needed} 或更新的版本。`, `请安装 Node.js ${needed} 或更新的版本，然后重启。`],
    port_answers: ({ host, port }) => [`服务在 ${host} 的端口 ${port} 上应答。`],
    sign_in_needed: ({ host, port }) => [`需要登录。服务监听 ${host} 的端口 ${port}。`],
    sign_in_local: ['只有这台机器能访问服务，无需登录。'],
    provider_answers: ['它能应答。'],
    provider_invalid_key: ['它拒绝了密钥。', '请在“模型”或配置档案的 .env 中填入有效的密钥。'],
    provider_no_quota: ['账户的额度已用完。', '请在提供商处充值，或选择其他模型。'],
    provider_rate_limited: ['它暂时不再接受请求。', '请稍等，或在提供商处提高限额。'],
    provider_timed_out: ['它没有及时应答。', '请过几分钟再检查，并查看提供商的状态页。'],
    provider_no_answer: ['它没有应答。', '请过几分钟再检查，并查看提供商的状态页。'],
    schedules_fine: ({ count }) => [`定时任务：${count} 个，上次都没有失败。`],
    schedule_failed: ({ reason }) => [`上次运行失败：${reason}`, '请在“任务”中打开上次运行。'],
    schedule_undelivered: ({ reason }) => [`上次的结果没有送达：${reason}`, '请在“任务”中检查送达的地方。'],
    schedule_ended: ({ reason }) => [`它不再运行：${reason}`, '请在“任务”中修改它的时间安排。'],
    traces_taken: ['收集器接受追踪数据。'],
    proxy_answers: ({ target }) => [`连接经由代理 ${target}，代理能应答。`],
    configuration_broken: ({ profile, reason }) => [`配置档案“${profile}”的 config.yaml 有错误：${reason}`, '请改正。在此之前，沿用上一个正确的版本。']
  },
  groups: { service: '服务', storage: '存储', access: '访问', agent: '智能体', models: '模型', connections: '连接' },
  connection: '从本设备',
  held: (seconds) => `正在让一个连接保持打开 ${long(seconds)}，看它是否会被切断…`,
  environment: '服务的环境变量',
  titles: {
    reach: '事件流', encryption: '加密', buffering: '缓冲', compression: '压缩', timeout: '保持连接', ids: '续传', scheme: '协议', host: '主机名',
    address: '客户端地址', cookies: 'Cookie', upload: '上传', clock: '时钟'
  },
  verdicts: {
    reached: () => '事件流可以到达。',
    unreachable: (code) => `无法通过此地址访问服务${code === '' ? '' : `（${code}）`}。`,
    refused: (status) => `事件流被拒绝，状态码 ${status}。`,
    noStream: (type) => `回答的不是服务，而是别的程序（${type || '没有类型'}）。`,
    encrypted: () => '连接已加密。',
    local: () => '连接不离开本机。',
    plain: () => '连接没有加密：途中可以读到密码和对话。浏览器也不提供通知、通行密钥和麦克风。',
    delivered: () => '回答边写边到。',
    buffered: (seconds) => `代理扣留了回答，这次 ${long(seconds)}：回答会成块出现，或一次全部出现。`,
    undelivered: () => '代理会扣住事件流，直到它结束。',
    uncompressed: () => '事件流没有被压缩。',
    compressed: (encoding) => `代理压缩了事件流（${encoding}），回答因此延迟。`,
    stayedOpen: (seconds) => `一个事件流保持打开了 ${long(seconds)}。`,
    wasCut: (seconds) => `一个事件流在 ${long(seconds)}后被切断，尽管服务每 5 秒都会发送内容。`,
    idsKept: () => '被切断的事件流会从停下的地方继续。',
    idsLost: () => '代理更改了事件流：帧的编号缺失，事件流因此从头开始。',
    lastIdLost: () => '请求头 Last-Event-ID 没有到达服务，事件流因此从头开始。',
    schemeRight: (scheme) => `服务知道自己是通过 ${scheme} 访问的。`,
    schemeNotBelieved: (scheme) => `服务不信任代理，因此把连接当作 ${scheme}。`,
    schemeWrong: (scheme) => `代理没有说明连接已加密：服务把它当作 ${scheme}。`,
    schemeClaimed: () => '代理声称连接已加密，但实际上没有加密。',
    hostRight: (host) => `服务知道自己的地址是 ${host}。`,
    hostWrong: (host) => `服务以为自己的地址是 ${host}。浏览器的更改会被拒绝，通行密钥也无法使用。`,
    addressRight: (address) => `服务能看到本设备的地址（${address}）。`,
    addressMissing: (peer) => `代理不转发地址：所有客户端看起来都是 ${peer}，一个人输错密码会把所有人锁在外面。`,
    addressNotBelieved: (peer) => `服务不信任代理：所有客户端看起来都是 ${peer}，一个人输错密码会把所有人锁在外面。`,
    addressForged: () => '代理会转发客户端编造的地址，因此猜测密码永远不会被阻止。',
    cookiesRight: () => 'Cookie 与连接相符。',
    cookiesOpen: () => '连接已加密，但 Cookie 没有标记为 Secure。',
    cookiesLost: () => 'Cookie 标记为 Secure，但连接没有加密，浏览器因此不会保留登录。',
    uploadPassed: (mib) => `${mib} MiB 的上传已到达。`,
    uploadRefused: (mib) => `${mib} MiB 的上传因太大而被拒绝。`,
    uploadCut: (mib) => `${mib} MiB 的上传被中断。`,
    uploadUntried: () => '连接太慢，没有测试较大的上传。',
    uploadUnjudged: (status) => `较大的上传得到状态码 ${status}，这与大小无关。`,
    clockRight: () => '本设备与服务的时钟一致。',
    clockWrong: (seconds) => `本设备与服务的时钟相差 ${long(seconds)}。`
  },
  advice: {
    reach: '请检查服务是否在运行、代理是否指向它的端口，以及你是否已登录。',
    tls: '在前面放一个带证书的反向代理：见帮助文档（/help）中的 “Behind a reverse proxy”。',
    buffering: '在代理中关闭缓冲：',
    compression: '不要在代理中压缩事件流；其余内容由服务自己压缩：',
    timeout: '在代理中允许连接保持打开：',
    lastId: '在代理中转发该请求头：',
    proto: '在代理中写明协议，并用 SVC_WEBUI_TRUSTED_PROXIES 信任它：',
    host: '在代理中转发主机名，包括端口：',
    forwardedFor: '在代理中用连接它的地址替换该请求头：',
    trust: '在服务的环境变量中信任该代理，然后重启服务：',
    secure: '通过 https 访问服务，或更改服务的环境变量：',
    upload: '在代理中允许这么大的上传：',
    clock: '请同步时钟。'
  }
}
