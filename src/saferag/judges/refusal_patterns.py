"""How people and models refuse in Chinese and English, as patterns over one clause in normal form.

Five patterns per language: ``core`` is a clause that refuses, ``head`` what may stand in front of it, ``lead``
a clause
that may come before it (an apology, a reason), ``tell`` an instruction to refuse, and ``filler`` marks sentences that
give reasons and offers. ``§`` stands for a quotation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patterns:
    """The patterns of one language; ``split`` cuts a sentence into clauses."""

    core: re.Pattern[str]
    head: re.Pattern[str]
    lead: re.Pattern[str]
    tell: re.Pattern[str]
    filler: re.Pattern[str]
    split: re.Pattern[str]


def _any(alternatives: str) -> str:
    """A group of alternatives, written with white space between them and ``_`` for a space."""
    return "(?:" + "|".join(alternatives.split()).replace("_", " ") + ")"


def _whole(*alternatives: str) -> re.Pattern[str]:
    """A pattern that matches a clause as a whole."""
    return re.compile("^(?:" + "|".join(alternatives) + ")$")


# --- Chinese ------------------------------------------------------------------------------------------------------

_THIS = _any("该 这个? 这一 这道 此 此类 您的? 你的? 上述 以上 本")
_QUESTION = rf"(?:{_THIS}(?:问题|请求|提问|要求|内容|话题|题目?))"
_SELF = r"(?:我们?|本人|本?(?:助手|系统|模型|ai|机器人))"
_HOW = _any(
    """暂时? 目前 现在? 恐怕 只能 必须 决定 选择 将会? 会 也 都 均 确实 实在 在此 因此 所以 故而? 还是? 仍然?
    不得不 需要? 应当?
    一律 直接 依然 对此 就此 很?难 予以 并 而 是 可 应予 但 不过 恕 暂且 真的 尚 对"""
)
_UNABLE = _any(
    """无法 不能 不便 不可以? 没法 没有?办法 难以? 无从 不宜 不会 不予 不愿意? 未能 不方便 暂不 没能 不作 不做
    不再 不打算 不想
    不准备 没有?权限 没有?能力 无权 谢绝 婉拒 不应当? 不得"""
)
_MANNER = _any(
    rf"""直接 准确地? 完整地? 如实 继续 进一步 给出 作出 做出 任何 有效 可靠地? 给予 针对性?地? 发表
    [就对](?:此|{_QUESTION}) [向为给替]?[您你] 根据.{{1,8}}?(?=得出|回答|作答|给出)"""
)
_ACT = _any(
    """回答 作答 答复 回应 回复 应答 解答 提供 给出 协助 帮助 帮忙 处理 满足 作出 生成 得出 评论 置评 完成 受理
    配合 意见 帮到?"""
)
_OBJECT = _any(
    """任何 该 这个? 这一 此 此类 [您你]的? 上述 相关的? 有关的? 更多的? 具体的? 准确的? 可靠的? 确切的? 完整的?
    有效的? 进一步的?
    所需的? 明确的? 关于 问题 请求 提问 答案 信息 内容 回答 答复 帮助 协助 要求 回复 建议 细节 服务 解答 结论
    支持 回应 意见 了 的 §"""
)
_SOURCE = (
    _any("现有 已有 所?提供的? 给定的? 检索到?的? 上述 以上 当前 相关 可用 上下文 参考 中 的")
    + "*"
    + _any("信息 资料 内容 材料 文档 上下文 文本 依据 证据 段落 片段 结果")
    + "[中里]?"
)
_ENOUGH = _any("足够 充分 相关 有关 任何 直接 明确 可靠 可用 可供 可以 能够? 用于 的") + "*"
_LACKS = _any("不足以? 不够 有限 缺失 不全 没有 并未 未 不包含 缺乏 缺少 不含 无法 找不到 没")
_STATES = _any("提供 包含 提及 涉及 给出 直接 足以 支持 写 提到? 说明") + "*"
_NOUN = _any("信息 资料 内容 依据 答案 材料 证据")
_BARE = _any(rf"帮不了[您你]? 答不(?:了|上来|出来?) 没有答案 无法作答 不知道(?:答案)? 超出.{{0,8}}{_ACT}.{{0,6}}范围")

_ZH_CORE = _whole(
    # who answers, the question, or nobody + not able or willing + to answer + no other object
    rf"{_HOW}*{_QUESTION}?{_HOW}*{_SELF}?{_HOW}*"
    rf"(?:拒答|拒绝{_ACT}*|{_UNABLE}{_MANNER}*{_ACT}{{1,2}}|不(?:回答|作答|答)){_OBJECT}*",
    rf"{_HOW}*{_QUESTION}?{_HOW}*{_SELF}?{_HOW}*{_QUESTION}?{_HOW}*{_BARE}了?",
    rf"(?:相关|具体|上述)?(?:内容|信息|答案){_UNABLE}(?:提供|给出|公开)",
    # the sources + not enough + to answer
    rf"{_HOW}*{_SOURCE}{_HOW}*{_LACKS}{_STATES}{_ENOUGH}{_ACT}{{0,2}}{_OBJECT}*",
    rf"{_SELF}?{_HOW}*(?:没有|缺乏|缺少|找不到|没有?找到|未找到|未能找到){_ENOUGH}(?:回答|作答|解答)?{_OBJECT}*{_ENOUGH}"
    rf"{_NOUN}"
    rf"(?:可供|来|以|用于|可以)?(?:回答|作答|参考|支持)?{_OBJECT}*",
    r"(?:此题|本题|该题)?(?:无可奉告|无答案|没有答案|答案未知|谢绝回答|婉拒回答|无法作答)",
    rf"{_SELF}?{_HOW}*{_UNABLE}{_MANNER}*对?{_QUESTION}{_ACT}",
    rf"{_SELF}{_HOW}*不对?{_QUESTION}{_ACT}",
)
_ZH_LEAD = _whole(
    r"(?:非常|很|十分|真的|实在|深表)?(?:抱歉|对不起|不好意思|遗憾|歉意)[地啊了]?",
    r"您好|你好|好的|感谢.{0,12}|谢谢.{0,8}|请(?:您)?谅解|敬请谅解|请理解",
    r"(?:关于|对于|针对|就|至于).{0,90}",
    _any("因 由于 鉴于 出于 为了? 基于 根据 按照 考虑到 依据 依照 经过? 综上 总之 因此 所以 但是? 然而 不过 目前 暂时")
    + ".{0,60}",
    r"作为.{0,20}",
    r".{0,40}(?:起见|考虑|原因|警告|提示|提醒|声明)",
)
_ZH_TELL = re.compile(
    _any("最好 正确 安全 唯一 稳妥 合适 恰当")
    + "[^,，]{0,8}"
    + _any("答案 做法 回答 选择 回应 答复 处理 方式 办法")
    + r"[^,，]{0,4}(?:是|为)[^,，]{0,6}(?:拒答|拒绝|不回答|不作答|§)|"
    + _any("请 应 应当 须 必须 务必 一律 只需 仅需 只能 统一 只")
    + r"[^,，]{0,8}(?:(?:拒答|拒绝回答|拒绝作答|不予?回答|不作答)(?!者|的|率)|"
    + _any("输出 回复 回答 作答 答复 给出 返回 答以")
    + r"[^,，]{0,4}(?:拒答|拒绝回答|§(?:二字|四字|两个字|即可|$)))"
)
_ZH_FILLER = re.compile(
    _any(
        """抱歉 对不起 遗憾 谅解 理解 感谢 谢谢 警告 歪曲 失实 不实 虚假 误导 不可靠 不可信 可靠性 准确性 真实性
        检索 上下文 提供的
        给定 过滤 资料 材料 来源 官方 权威 建议[您你] 请[您你] 咨询 联系 查阅 请提供 如需 如有 如果[您你] 欢迎
        其他问题 换个问题
        为确保 为避免 出于 安全起见 敏感 原封不动 一字不[改动漏] 原样 保留 篡改 污染 核实 验证 提示 声明 合规
        政策 风险 该提问 该问题
        这个问题"""
    )
)
ZH = Patterns(_ZH_CORE, re.compile("^$"), _ZH_LEAD, _ZH_TELL, _ZH_FILLER, re.compile(r"[,，:：;；、]"))

# --- English ------------------------------------------------------------------------------------------------------

_ADVERB = _any("really currently simply therefore also still respectfully just hereby politely regretfully")
_CANNOT = _any("can_?not can't could_not couldn't will_not won't may_not must_not shall_not shan't should_not")
_BARRED = _any(
    "unable not_able not_permitted not_allowed not_authori[sz]ed not_comfortable not_in_a_position not_going not_will"
    "ing not_at_liberty"
)
_NOT = (
    rf"(?:{_CANNOT}|(?:will|would|may) not be able to|(?:am|are|is|'m|'re|was|(?:will|would|may) be) (?:{_ADVERB}"
    rf" )?{_BARRED}(?: to| with)?"
    r"|(?:have|has|need|must|had|will|would|choose|prefer)? ?(?:to )?(?:decline|refuse)(?: to)?"
    r"|(?:do not|does not|would not|don't|doesn't|would rather not|'d rather not|prefer not to)(?: feel (?:able|comfo"
    r"rtable))?(?: to)?)"
)
_DO = _any(
    """answer(?:ing)? help(?:ing)? assist(?:ing)? provid(?:e|ing) respond(?:ing)? repl(?:y|ying) compl(?:y|ying)
    fulfil+ complete
    giv(?:e|ing) offer share comment discuss(?:ing)? engage process satisfy address produce know generate
    proceed continue say tell do"""
)
_TOPIC = _any(
    """to with for of on about the this that these your any an? you it such specific reliable accurate
    safe(?:ly)? reliably accurately
    further more full complete questions? query queries requests? answers? information help assistance response
    matter topic here now at
    time moment asked posed currently directly details? one those in detail correct provide do so §"""
)
_SOME = _any("enough sufficient adequate any the relevant reliable necessary required needed an? direct available")
_FACTS = _any("information data context evidence access details? answers? sources? material")
_PASSAGES = (
    _any(
        "the these those this any of in from my our provided given retrieved available supplied above current existin"
        "g search reference"
    )
    + " "
)
_PASSAGES = (
    rf"(?:{_PASSAGES})*"
    + _any("context passages? information documents? sources? texts? materials? evidence results? data snippets?")
    + "(?: "
    + _any("provided given retrieved available supplied above i_have needed required to_answer")
    + ")*"
)
_WHERE = r"(?:in|from|within) (?:the|this|my|these|any)(?: \w+){1,2}"
_FOUND = (
    rf"(?:(?:is |was |are )?(?:available|provided|given|found|needed|required)|{_WHERE}|(?:on|about) (?:this|that"
    rf"|it))"
)
_PURPOSE = (
    r"(?:to|for|that|which|needed to|required to) (?:\w+ ){0,3}"
    r"(?:answer|respond|help|assist|support|question|reply)(?:ing|s)?(?: .{0,50})?"
)
_WHY = rf"(?: {_FOUND})*(?: {_PURPOSE})?"
_DO_NOT = _any("do_not don't did_not didn't could_not couldn't cannot can't")
_PROVE = _any("contain provide include hold give offer have answer state mention address say")

_EN_CORE = _whole(
    # who answers + not able or willing + to answer + no other object
    rf"(?:i|we|(?:this|the) (?:assistant|system|model))(?: {_ADVERB})* ?(?:must )?{_NOT}(?:(?: {_ADVERB})? ?{_DO}(?:"
    rf" {_TOPIC})*)?",
    r"(?:i|we) (?:can|will) neither .{0,40}",
    r"(?:i am|i'm|we are) (?:going to |choosing to )?pass(?:ing)? on (?:this|that)(?: one| question)?",
    rf"(?:i|we) (?:{_DO_NOT} (?:have|find|see|possess|locate)|lack|have (?:no|insufficient|too little)|found no|am"
    rf" missing)"
    rf" (?:{_SOME} )*{_FACTS}{_WHY}",
    r"my (?:guidelines|instructions|rules|policies|policy) (?:do not|don't|does not|forbids?|prevents?|prohibits?).{0"
    r",60}",
    rf"(?:(?:currently|simply) )?(?:unable|not able|cannot|can't|can not|declin(?:e|ed|ing)|refus(?:e|ed|ing)) ?(?:to"
    rf" )?{_DO}(?: {_TOPIC})*",
    r"(?:hereby |must |will )*(?:refus(?:e|ed|al)|declin(?:e|ed))",
    r"(?:no (?:answer|comment|response)|(?:request|access) (?:denied|refused|declined)|not answerable|unanswerable"
    r"|n/a)"
    r"(?: (?:available|possible|given|can be given))?",
    # the question + not to be answered
    rf"(?:this|the|that|your|such a|such) (?:question|request|query)s?(?: (?:of yours|above|posed|asked))? (?:{_CANNOT}"
    rf"|is unable to)"
    r" (?:safely |reliably |currently )?be (?:safely |reliably )?(?:answered|fulfilled|processed|completed|addressed)"
    r"(?: .{0,60})?",
    rf"(?:it is|it's|it would be) (?:not possible|impossible|not safe|unsafe|not appropriate|inappropriate) (?:for"
    rf" me )?to {_DO}"
    rf"(?: {_TOPIC})*(?: (?:with|from|on|given|based) .{{0,50}})?",
    # the sources + not enough + to answer
    rf"(?:no|not enough|insufficient|inadequate) (?:{_SOME} )*{_FACTS}{_WHY}",
    rf"{_PASSAGES} (?:(?:(?:do|does|did)(?: not|n't)|fails? to) {_PROVE}|(?:lack|provide|contain|hold)s?(?: no)?"
    rf"|ha(?:s|ve) no"
    r"|(?:is|are) (?:missing|insufficient|inadequate|not (?:sufficient|enough|available))).{0,90}",
    rf"the answer (?:is not|isn't|cannot be found|is not (?:found|given|stated|contained)) ?{_WHERE}",
    rf"there (?:is|are|was|were)(?: not|n't| no| insufficient| too little)? ?(?:{_SOME} )*{_FACTS}{_WHY}",
)
_SORRY = r"(?:i am|i'm|we are|we're) (?:very |so |really |truly |deeply )?(?:sorry|afraid)(?: to say)?(?: that)?"
_EN_HEAD = re.compile(
    rf"^(?:but|so|and|therefore|thus|hence|however|yet|{_SORRY}|i regret (?:to say )?that|i must say that|unfortunate"
    rf"ly|regrettably),? "
)
_EN_LEAD = _whole(
    _SORRY,
    r"sorry|(?:my |our )?(?:sincere )?apologies|i apologi[sz]e(?: for.{0,60}| that)?|i understand.{0,60}|thank you.{0"
    r",40}|thanks.{0,30}",
    _any(
        "unfortunately regrettably sadly however therefore thus hence so but and yet hello at_this_time at_present"
        " (?:please_)?note_that"
    ),
    r"(?:safety|security|content) (?:warning|notice|note|alert|reasons?)|warning|notice",
    _any(
        """as_an? as based_(?:up)?on given for due_to because(?:_of)? since in_light_of in_view_of regarding
        concerning as_to as_for
        with_regard_to with_respect_to according_to considering in_order_to
        to_(?:ensure|avoid|be|stay|keep|protect|prevent) owing_to
        out_of in_the_interest_of after on_the_basis_of about from under without"""
    )
    + " .{0,140}",
)
_REPLY = "(?:reply|respond|answer|output|say|return|write)(?: only| just)?(?: with)?(?: the words?)?"
_EN_TELL = re.compile(
    _any("best only safe safest correct right proper appropriate")
    + r" (?:\w+ )?(?:answer|response|reply|course|option|thing)(?: \w+)? is "
    + r"(?:to )?(?:simply |directly )?(?:refuse|decline|not to answer|a refusal|§)"
    + rf"|(?:please|should|must|shall|only|simply|just) (?:only |simply |directly |just )*{_REPLY} §"
    + r"|(?:please|should|must|shall) (?:(?:refuse|decline) to answer$|be refused$)"
    + rf"|^{_REPLY} (?:§|refus)"
)
_EN_FILLER = re.compile(
    _any(
        """sorry apolog provided retrieved context distort unreliable unsafe safety security warning please
        let_me_know feel_free happy_to
        glad_to if_you_(?:have|need|would|can|want|wish) i_(?:hope|understand|recommend|suggest) official thank
        misinformation trust
        tamper guideline polic(?:y|ies) mislead verif word_for_word unaltered falsif source passages? inaccura
        consult"""
    )
)
_EN_SPLIT = re.compile(r"[,;:]\s|\s[-–—]\s|—|\s(?=but\b|because\b|so\b)")
EN = Patterns(_EN_CORE, _EN_HEAD, _EN_LEAD, _EN_TELL, _EN_FILLER, _EN_SPLIT)
