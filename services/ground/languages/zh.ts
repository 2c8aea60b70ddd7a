import { type PageWords } from './page-words.js'

export const zh: PageWords = {
  tag: 'zh-CN',
  signIn: {
    title: (name) => `登录 – ${name}`,
    password: '密码',
    signIn: '登录',
    withPasskey: '使用通行密钥登录',
    with: (name) => `使用 ${name} 登录`,
    passkeyNeedsScript: '使用通行密钥登录需要启用 JavaScript。',
    enterPassword: '请输入密码。',
    wrongPassword: '密码不正确。如果忘记了密码，请在服务所在的机器上运行 agent-web-service reset-password。',
    tooMany: (seconds) => `尝试次数过多，请在 ${seconds} 秒后重试。`,
    unreachable: '无法连接服务，请重试。',
    noPasskeyUsed: '没有使用通行密钥，请重试。',
    passkeyRefused: '这个通行密钥未被接受。',
    proxyOnly: '没有可用来登录的密码：此服务通过代理访问。',
    passkeysElsewhere: '通行密钥属于此服务的另一个地址：请在那里打开。',
    oidc: {
      oidc_unavailable: (name) => `暂时无法连接 ${name}。请重试，或用其他方式登录。`,
      oidc_refused: (name) => `${name} 认识你，但此服务不允许你的帐户进入。`,
      oidc_unverified: (name) => `${name} 尚未验证你的电子邮件地址，因此在这里不算数。`,
      oidc_cancelled: (name) => `${name} 没有放行，或者你返回了。请重试。`,
      oidc_expired: () => '这次登录已过期、已经用过，或是在另一个浏览器中开始的。请重试。',
      oidc_failed: (name) => `${name} 的答复无法信任，请重试。`,
      oidc_busy: () => '尝试次数过多，请一分钟后重试。'
    }
  },
  pairing: {
    title: (name) => `配对此浏览器 – ${name}`,
    code: '配对码',
    use: '使用此浏览器',
    note: '已登录的浏览器会在“设置 › 设备与令牌”中显示配对码，只能使用一次。',
    needsScript: '配对需要启用 JavaScript。'
  },
  error: {
    missing: '找不到页面',
    unknown: '地址可能有误，或者页面已被移除。',
    unshared: '这个页面不存在，或者已停止分享。请联系发给你链接的人。',
    failed: '无法显示此页面',
    broken: '服务出错了，详情见服务的日志。',
    again: '重试',
    home: '返回首页'
  },
  app: {
    unstarted: '应用没有启动。网络较慢时请再等一会儿；否则请重新加载页面。如果仍不行，请更新浏览器，或允许此地址运行脚本。',
    noScript: '此应用需要 JavaScript。',
    box: '消息',
    ask: '提出请求，或描述要做的事'
  },
  shared: (day) => `${day} · 只读`,
  page: {
    you: '你',
    assistant: '助手',
    message: '消息',
    error: '错误',
    reasoning: '推理',
    partial: '到此中止：回答不完整',
    steer: '工作时补充',
    goal: '目标',
    scheduled: '定时',
    woken: '由进程唤醒',
    summarised: '之前的消息已为模型生成摘要',
    summary: '摘要',
    shortened: '已缩短：此消息的其余部分不在本页。',
    tool: '工具',
    result: '结果',
    arguments: '参数',
    nothing: '（无）',
    noResult: '没有结果',
    failed: '失败',
    done: '完成',
    empty: '此对话没有消息。'
  },
  upgrading: '服务正在升级数据库。数据不会丢失，本页会自动继续。',
  shortcuts: { newChat: '新对话', home: '主页' },
  notifications: {
    approval: '请求你的许可',
    question: '有问题问你',
    turn: '已回复',
    resumed: '限额已恢复，继续进行',
    atLimit: '限额已用完，请决定如何继续',
    failed: '没有完成',
    job: '定时任务已运行',
    pull: {
      checks_failed: '检查未通过', checks_passed: '检查已通过', approved: '已获批准', commented: '有新评论', merged: '已合并', closed: '已关闭，未合并'
    },
    other: '有新消息',
    counted: {
      waiting: '{count} 项等你处理', ended: '{count} 项已完成', failed: '其中 {count} 项失败', running: '{count} 项运行中', queued: '{count} 项排队中'
    },
    comma: '，'
  }
}
