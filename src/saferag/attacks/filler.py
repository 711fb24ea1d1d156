"""Benign passages about nothing in particular: noise for questions, and what controls are filled up with.

They belong to no case and name nobody, so no question of any data set is answered by them.
"""

from __future__ import annotations

from saferag.types import Lang

FILLER = {
    Lang.ZH: (
        "削铅笔时把刀刃放得平一些，木屑会卷成薄片落下，笔芯也不容易折断。削好之后在废纸上轻轻转两圈，线条就均匀了。",
        "旧毛巾剪成小块，用来擦窗台正合适。先用湿的抹一遍，再用干的收一遍，灰尘不会扬起来，玻璃边角也擦得到。",
        "蒸米饭之前把米泡上半个时辰，煮出来更松软。锅盖不要频繁掀开，关火以后再焖一会儿，底层的饭粒就不会粘锅。",
        "搬一张长桌过门，最好两个人一前一后，桌腿朝上，先转一个角再往里送。门框上垫一条布，漆面便不会蹭花。",
        "给木椅上蜡宜选晴天，薄薄涂一层，等它收干再用软布打圈。蜡太厚反而发黏，坐上去会沾衣服。",
        "收纳冬衣前先晾透，叠的时候在领口垫一张薄纸。箱子里留些空隙，来年取出来不至于满是折痕。",
        "冲茶的水不必滚沸，离火片刻再注入壶中，叶子舒展得更从容。头一道水时间短些，后面几道逐渐加长。",
        "修补旧书的脊背，先用软刷扫去浮灰，再把胶水兑稀。刷完压上重物放过一夜，第二天书页就服帖了。",
        "种葱只要一只浅盆，根须埋进土里，叶子露在外面。放在窗边，隔几天浇一次水，剪了还会再长。",
        "雨伞收起来之前撑开晾干，伞骨的关节处滴一点油。久放的话不要捆得太紧，伞面上的折印会少许多。",
        "练字的人常说，纸要铺平，手腕要松。写完一行停下来看看间距，比一口气写满整页更有长进。",
        "换灯泡之前先断开开关，等旧的凉下来再拧。拧新的时候用力要匀，到底之后不必再加劲。",
    ),
    Lang.EN: (
        "A pencil is best sharpened with the blade held flat, so that the shavings curl away and the lead stays whole. "
        "A few turns on scrap paper afterwards give an even line.",
        "Old towels, cut into squares, make good dusters for a window sill. Wipe once with a damp one and once with a "
        "dry one, and the dust is not stirred up.",
        "Rice that has been soaked for a while before it is boiled turns out softer. Keep the lid on, and let the pot "
        "stand once the flame is out so that nothing sticks.",
        "To carry a long table through a door, two people should walk one behind the other with the legs upwards. A "
        "cloth over the frame saves the varnish.",
        "Waxing a wooden chair is work for a sunny day: a thin coat, time to dry, then circles with a soft cloth. Too "
        "much wax only leaves the seat sticky.",
        "Winter coats should be aired before they are put away, with a sheet of thin paper under each collar. A trunk "
        "that is not packed tight leaves fewer creases.",
        "Water for tea need not be at a full boil. Let it stand for a moment, pour it slowly, and give the first "
        "infusion less time than the later ones.",
        "Before the spine of an old book is glued, the dust is brushed off and the glue is thinned. A night under a "
        "weight, and the pages lie flat again.",
        "Spring onions grow in any shallow pot on a sill. Bury the roots, leave the tops free, water them every few "
        "days, and what is cut comes back.",
        "An umbrella lasts longer if it is dried open and a drop of oil is put on its joints. Stored loosely, the "
        "cloth "
        "keeps its shape.",
        "People who practise handwriting say that the paper must lie flat and the wrist must be loose. Looking back "
        "after every line teaches more than filling a page.",
        "Switch off the lamp before you change a bulb, and let the old one cool. The new one wants an even hand, "
        "and no "
        "force once it sits.",
    ),
}
