import { type Words } from '../en/index.js'

export const chat: Words['chat'] = {
  goals: {
    active: (used, most) => `目标 · 第 ${used} / ${most} 轮`,
    paused: '目标已暂停',
    done: '目标已达成',
    checking: '正在检查目标',
    pause: '暂停',
    resume: '继续',
    giveUp: '放弃目标',
    pauses: {
      person: '你已暂停',
      turns: '轮次已用完',
      budget: '预算已用完',
      cancelled: '本轮已停止',
      failed: '本轮失败',
      cut_off: '服务在本轮进行中停止了',
      not_started: '无法开始下一轮',
      judge_silent: '评判没有回应',
      judge_unclear: '评判结果不明确'
    }
  },
  events: {
    retry: '模型没有响应，正在重试。',
    compression_failed: '无法总结对话的前面部分。',
    compressing: '对话已经很长，正在总结前面的部分。',
    compressed: '已总结对话的前面部分。',
    cut_short: '回答已达到模型的最大长度。',
    budget: '一项预算已用完。',
    fallback: '由另一个模型继续。'
  },
  readOnly: {
    why: '这个对话是只读的。',
    branch: '建立分支以继续',
    goOn: '在这里继续',
    inPlace: (m: string): string => `通过 ${m} 继续同一个对话：终端也会看到你添加的内容。`,
    notInPlace: (why: string): string => `无法在原处继续：${why}`,
    subAgent: '子智能体在这个对话中工作，因此它是只读的。',
    toParent: '打开上级对话'
  },
  parked: {
    name: '提供商限额已用完',
    until: (provider, time) => `${provider} 的限额已用完，${time} 恢复，届时自动继续。`,
    asks: (provider) => `${provider} 的限额已用完，等你决定如何继续。`,
    cannot: (provider) => `无法用 ${provider} 继续，等你决定如何继续。`,
    now: '立即继续',
    wait: '继续等待',
    withAnother: '换一个模型…',
    another: '换一个模型继续',
    stop: '停止'
  },
  rename: '重命名',
  pin: '置顶',
  unpin: '取消置顶',
  move: '移到项目',
  archive: '归档',
  unarchive: '取消归档',
  worktree: '工作树',
  duplicate: '复制对话',
  export: '导出',
  share: '分享',
  sharing: {
    title: '分享这个对话？',
    what: (title, count) => `任何有链接的人无需登录即可阅读“${title}”（${count} 条消息）。`,
    note: '页面包含智能体的操作及其工具的输出。已知的凭据会被遮盖。之后的消息不会加入。',
    preview: '预览页面',
    share: '分享',
    doneTitle: '对话已分享',
    kept: '请现在复制链接，之后不再显示。',
    all: '查看所有分享',
    copy: '复制链接',
    revoke: '停止分享',
    revoked: '页面不再分享。'
  },
  yoloStep: {
    title: '一切直接运行，不再询问？',
    means: '在此对话中，智能体不再等待你，自行决定并执行：',
    facts: ['它会运行命令、修改和删除文件、发送请求。', '当前等待你回答的请求会立即放行。', '关闭此项或服务重启后恢复询问。'],
    back: '继续询问',
    confirm: '不再询问'
  },
  otherFolder: '更换文件夹',
  undoExchange: '撤回最后一轮',
  exchangeUndone: '最后一轮已撤回。',
  openKept: '打开之前的版本',
  delete: '删除',
  temporary: {
    name: '临时对话',
    note: '不列出、不记住，离开后即删除。',
    keep: '保留这个对话',
    kept: '对话已保留，现在可以在列表中找到。',
    left: '临时对话已删除。'
  },
  yolo: '一切直接运行，不询问…',
  side: {
    question: '旁问',
    task: '后台任务',
    lost: '这个回答已不再保留。',
    states: { running: '进行中', stopping: '正在停止', done: '完成', elsewhere: '结果已在另一个窗口显示。', gone: '它的对话已经不存在了。' }
  },
  noEffort: '这个模型不能调整思考强度。',
  noPersonalities: '还没有人格。可在“设置 › 行为”中创建。',
  usage: {
    title: '此对话的用量',
    window: (percent) => `上下文已用 ${percent}%`,
    held: (held, length) => `${held} / ${length} token`,
    threshold: (tokens) => `到 ${tokens} 时概括`,
    model: '模型',
    input: '输入 token',
    output: '输出 token',
    cache: '缓存',
    cost: '费用',
    unpriced: '价格未知',
    last: '上一轮',
    speed: (tokensPerSecond) => `每秒 ${tokensPerSecond} token`,
    compress: '现在概括较早的消息',
    all: '全部用量和预算'
  }
}
