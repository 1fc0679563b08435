"""The API of questions: rows for a chart and a sentence, answered by simulation."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from forsale_api.api.fields import IntegerField, QueryIntegerField, QuerySerializer, StrictSerializer
from forsale_api.api.schema import page_of
from forsale_api.api.views import APIView
from forsale_api.plays.serializers import VARIANTS
from forsale_api.rules.for_sale import BASE, DEFAULT_EDITION
from stats import questions
from stats.fair_price import Table
from stats.serializers import SIMULATED_EDITIONS, EditionField, PlayerCountField, VariantField
from stats.views import POLL_SECONDS

TITLES = {
    "house-worth": _("What is each house worth?"),
    "position": _("Does it matter who opens?"),
    "ties": _("How often is the winner decided by banknotes?"),
    "tie-break": _("Who gains by the tie-break?"),
    "rounding": _("What does it change to round the refund up instead of down?"),
    "variant": _("What does the variant change?"),
}


class QuestionQuery(QuerySerializer):
    """What the question is about; left out, there is a block for each variant and number of players."""

    edition = serializers.ChoiceField(choices=SIMULATED_EDITIONS, required=False)
    variant = serializers.ChoiceField(choices=VARIANTS, required=False)
    player_count = QueryIntegerField(required=False, min_value=3, max_value=6)
    bot = serializers.ChoiceField(
        choices=questions.ASKED, required=False, help_text=_("Who plays, in every seat: the answer depends on it")
    )
    precision = serializers.ChoiceField(choices=list(questions.PRECISIONS), required=False)


class QuestionSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    title = serializers.CharField()


class QuestionBlockSerializer(serializers.Serializer[Any]):
    """One kind of game; edition or variant is null where the block compares two of them."""

    edition = serializers.CharField(allow_null=True)
    variant = serializers.CharField(allow_null=True)
    player_count = serializers.IntegerField()
    games = serializers.IntegerField(help_text=_("Done so far, of each simulation that is compared"))
    complete = serializers.BooleanField(help_text=_("Whether every standard error is within its limit"))
    largest_se = serializers.DictField(help_text=_("mean and share; null where there is none"))
    rows = serializers.ListField(
        child=serializers.DictField(), help_text=_("For a chart; money in thousands of dollars")
    )
    sentence = serializers.CharField()


class AnswerSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    title = serializers.CharField()
    filters = serializers.DictField()
    complete = serializers.BooleanField()
    se_limits = serializers.DictField(help_text=_("The largest standard error of a mean, and of a share"))
    engine = serializers.CharField()
    results = QuestionBlockSerializer(many=True)


class TableBody(StrictSerializer):
    """The table of a buying round, with you to move: about to begin, or with the stakes named."""

    edition = EditionField(max_length=30, required=False)
    variant = VariantField(max_length=40, required=False)
    player_count = PlayerCountField()
    houses = serializers.ListField(child=IntegerField(), max_length=6, help_text=_("Open houses"))
    banknotes = IntegerField(help_text=_("Yours, in thousands of dollars, with what you stake"))
    rounds_left = IntegerField(help_text=_("Buying rounds after this one"))
    stakes = serializers.ListField(
        child=IntegerField(allow_null=True),
        required=False,
        max_length=6,
        help_text=_("Of each seat, yours first, clockwise; null: has passed. Left out: nobody has bid"),
    )
    opponents_banknotes = serializers.ListField(
        child=IntegerField(),
        required=False,
        max_length=5,
        help_text=_("Of the others, clockwise, with what they stake. Left out: what the bots would have left"),
    )
    bot = serializers.ChoiceField(choices=questions.ASKED, required=False, help_text=_("Who plays everything else"))


class PriceSerializer(serializers.Serializer[Any]):
    """What taking the best house at this price gains over passing now."""

    price = serializers.IntegerField()
    gain = serializers.FloatField(help_text=_("In the final total, thousands of dollars"))
    se = serializers.FloatField(allow_null=True)
    win_gain = serializers.FloatField(help_text=_("In the share of wins"))
    win_se = serializers.FloatField(allow_null=True)


class FairPriceSerializer(serializers.Serializer[Any]):
    table = TableBody()
    engine = serializers.CharField()
    deals = serializers.IntegerField(help_text=_("Played so far, each once for every choice"))
    complete = serializers.BooleanField(help_text=_("Whether every standard error is within its limit"))
    se_limit = serializers.FloatField()
    passed = serializers.FloatField(allow_null=True, help_text=_("The mean total after passing"))
    rows = PriceSerializer(many=True)
    fair_price = serializers.FloatField(
        allow_null=True, help_text=_("Where taking and passing are worth the same; null: above all that was tried")
    )
    fair_price_se = serializers.FloatField(allow_null=True)
    sentence = serializers.CharField()


class FairPrice(APIView):
    """What a table is worth: mostly answered at once; else the same body again gives the answer as far as it is."""

    scopes = {"POST": "simulations:write"}

    @extend_schema(request=TableBody, responses={200: FairPriceSerializer})
    def post(self, request: Request) -> Response:
        body = TableBody.validated(request.data)
        answer = questions.price(
            Table(
                edition=body.get("edition", DEFAULT_EDITION),
                variant=body.get("variant", BASE),
                player_count=body["player_count"],
                houses=tuple(sorted(body["houses"])),
                banknotes=body["banknotes"],
                rounds_left=body["rounds_left"],
                bot=body.get("bot", questions.BOT),
                stakes=tuple(body.get("stakes", ())),
                opponents_banknotes=tuple(body.get("opponents_banknotes", ())),
            )
        )
        response = Response(answer)
        if not answer["complete"]:
            response["Retry-After"] = POLL_SECONDS
        return response


class Questions(APIView):
    """The questions that can be asked."""

    @extend_schema(responses={200: page_of(QuestionSerializer)})
    def get(self, request: Request) -> Response:
        results = [{"question": slug, "title": str(TITLES[slug])} for slug in questions.QUESTIONS]
        return Response({"next": None, "previous": None, "results": results})


class OneQuestion(APIView):
    """The answer, of the games simulated so far; until it is complete it says when to ask again (Retry-After)."""

    query_serializer = QuestionQuery
    problems = {"GET": (404,)}

    @extend_schema(responses={200: AnswerSerializer})
    def get(self, request: Request, slug: str) -> Response:
        answer = questions.ask(slug, self.query)
        response = Response({"question": slug, "title": str(TITLES[slug]), **answer})
        if not answer["complete"]:
            response["Retry-After"] = POLL_SECONDS
        return response
